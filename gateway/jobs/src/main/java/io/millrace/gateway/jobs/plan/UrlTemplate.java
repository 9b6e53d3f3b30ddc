package io.millrace.gateway.jobs.plan;

import io.millrace.backend.http.WebUrl;

/**
 * A template that stands for URLs with numbered paths. The key of each begins after the last slash before the first
 * counter. Immutable.
 */
public record UrlTemplate(NameTemplate names, int keyBegins) {
    /**
     * Parses a template.
     *
     * @throws IllegalArgumentException if the template is invalid; the message names the error
     */
    static UrlTemplate parse(String text) {
        return of(NameTemplate.parse(text));
    }

    /** Creates the URL template of a parsed name template. */
    public static UrlTemplate of(NameTemplate names) {
        String text = names.toString();
        int authority = text.indexOf("://") + 3;
        int path = authority < 3 ? -1 : text.indexOf('/', authority);
        int query = text.indexOf('?');
        if (path < 0 || text.indexOf('{') < path || (query >= 0 && text.indexOf('{', query) >= 0)) {
            throw new IllegalArgumentException("counts in its path only: write https://host/d/shard-{000..127}.tar");
        }
        UrlTemplate template = new UrlTemplate(names, text.lastIndexOf('/', text.indexOf('{')) + 1);
        UrlListEntry.parse(template.line(0));
        // The last line is the longest.
        UrlListEntry.parse(template.line(names.count() - 1));
        return template;
    }

    /**
     * Returns a line.
     *
     * @param index from 0
     */
    public String line(long index) {
        String url = names.name(index);
        return UrlListEntry.text(url, key(url));
    }

    private String key(String url) {
        WebUrl parsed = WebUrl.parse(url);
        int slashes =
                (int) url.substring(0, keyBegins).chars().filter(c -> c == '/').count() - 2;
        String key = parsed.decodedPath();
        for (int i = 0; i < slashes; i++) {
            key = key.substring(key.indexOf('/') + 1);
        }
        return key;
    }
}
