export function explainPage(root) {}
