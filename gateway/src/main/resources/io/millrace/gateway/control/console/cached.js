export function cachedPage(root) {}
