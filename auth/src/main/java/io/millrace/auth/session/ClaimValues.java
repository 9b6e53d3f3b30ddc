package io.millrace.auth.session;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Lists the values of a token's claims by the names that settings have for them. */
final class ClaimValues {
    /** Levels that are looked into: providers nest two or three. */
    private static final int MOST_LEVELS = 4;

    private ClaimValues() {}

    /**
     * Returns the texts, numbers and truth values of claims. A claim at the top has its own name; one within others has
     * their names as a JSON pointer, such as {@code /kubernetes.io/namespace}.
     *
     * @see <a href="https://www.rfc-editor.org/rfc/rfc6901">RFC 6901</a>
     */
    static Map<String, List<String>> of(Map<String, Object> claims) {
        Map<String, List<String>> values = new HashMap<>();
        claims.forEach((name, claim) -> {
            if (claim instanceof Map<?, ?> nested) {
                addNested(pointer("", name), nested, MOST_LEVELS, values);
            }
        });
        // Last, so that a claim whose own name looks like a pointer is what it says.
        claims.forEach((name, claim) -> add(name, claim, values));
        return values;
    }

    private static void addNested(String parent, Map<?, ?> claims, int levels, Map<String, List<String>> values) {
        claims.forEach((key, claim) -> {
            String name = pointer(parent, String.valueOf(key));
            if (claim instanceof Map<?, ?> nested && levels > 1) {
                addNested(name, nested, levels - 1, values);
            } else {
                add(name, claim, values);
            }
        });
    }

    private static String pointer(String parent, String name) {
        return parent + '/' + name.replace("~", "~0").replace("/", "~1");
    }

    private static void add(String name, Object claim, Map<String, List<String>> values) {
        Collection<?> all = claim instanceof Collection<?> list ? list : Collections.singletonList(claim);
        List<String> texts = all.stream()
                .filter(one -> one instanceof String || one instanceof Number || one instanceof Boolean)
                .map(String::valueOf)
                .toList();
        if (!texts.isEmpty()) {
            values.put(name, texts);
        }
    }
}
