// Links of the console: #/page/place/place?name=value. Every view has one, so that it can be shared and opened in a new tab.

const decode = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

// Splits a hash into the page, its places and its parameters.
export function parseRoute(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [page, ...places] = path.split("/").map(decode);
  return { page, places, params: Object.fromEntries(new URLSearchParams(query)) };
}

export const linkTo = (page, ...places) => `#/${[page, ...places].map(encodeURIComponent).join("/")}`;

// The link of a view with these parameters; empty ones are left out.
export function linkWith(link, params) {
  const query = new URLSearchParams(Object.entries(params).filter(([, value]) => value !== undefined && value !== ""));
  return query.size > 0 ? `${link}?${query}` : link;
}

// Writes the parameters of the current view into its link, without a new entry in the history.
export function keepParams(params) {
  history.replaceState(null, "", linkWith(location.hash.replace(/\?.*/s, ""), params));
}
