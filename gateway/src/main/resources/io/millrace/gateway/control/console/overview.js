export function overviewPage(root) {}
