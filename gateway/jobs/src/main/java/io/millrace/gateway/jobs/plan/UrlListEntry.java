package io.millrace.gateway.jobs.plan;

import io.millrace.backend.http.WebUrl;
import io.millrace.backend.spi.object.ObjectKey;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * One line of a list of URLs to download: {@code [HEX] URL [KEY] [ALGORITHM:VALUE ...]}, separated by blanks or tabs.
 * The digits before a URL are those of {@code sha256sum} and similar tools. A key is percent-encoded as in a URL; the
 * default is the last segment of the URL's path.
 *
 * @param key in the target, after its prefix
 */
public record UrlListEntry(WebUrl url, ObjectKey key, List<ExpectedChecksum> sums) {
    public UrlListEntry {
        sums = List.copyOf(sums);
    }

    /**
     * Parses a line.
     *
     * @throws IllegalArgumentException if the line is invalid; the message names the error and quotes nothing of the
     *     line
     */
    public static UrlListEntry parse(String line) {
        List<String> words = new ArrayList<>(List.of(line.strip().split("[ \\t]+")));
        List<ExpectedChecksum> sums = new ArrayList<>();
        ExpectedChecksum.ofDigits(words.get(0)).ifPresent(sum -> {
            sums.add(sum);
            words.remove(0);
        });
        if (words.isEmpty()) {
            throw new IllegalArgumentException("has a checksum and no URL");
        }
        // sha256sum marks binary mode by a star.
        String first = words.remove(0);
        WebUrl url = WebUrl.parse(!sums.isEmpty() && first.startsWith("*") ? first.substring(1) : first);
        Optional<ObjectKey> key = Optional.empty();
        for (String word : words) {
            Optional<ExpectedChecksum> sum = ExpectedChecksum.parse(word);
            if (sum.isPresent()) {
                sums.add(sum.get());
            } else if (key.isEmpty()) {
                key = Optional.of(decoded(word));
            } else {
                throw new IllegalArgumentException(
                        "has more words than a key and checksums: write ALGORITHM:VALUE in hex or Base64, and %20 "
                                + "for blanks");
            }
        }
        return new UrlListEntry(url, key.orElseGet(() -> lastName(url)), sums);
    }

    /** Returns the line of a URL with a key of its own. */
    static String text(String url, String key) {
        return url + " " + encoded(key);
    }

    private static ObjectKey lastName(WebUrl url) {
        String path = url.decodedPath();
        String name = path.substring(path.lastIndexOf('/') + 1);
        if (name.isEmpty()) {
            throw new IllegalArgumentException("has a URL that ends in a slash, so it has no name: add a key");
        }
        return key(() -> new ObjectKey(name));
    }

    private static ObjectKey key(Supplier<ObjectKey> made) {
        try {
            return made.get();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("has no key: " + e.getMessage(), e);
        }
    }

    private static String encoded(String key) {
        return URLEncoder.encode(key, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("%2F", "/");
    }

    /**
     * Decodes a key, which may be any Unicode text. Malformed words are refused, because two of them could become one
     * key.
     */
    private static ObjectKey decoded(String word) {
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(word)) {
            throw new IllegalArgumentException("has a key that is not valid Unicode");
        }
        String bytes = new String(word.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        String decoded = URLDecoder.decode(bytes.replace("+", "%2B"), StandardCharsets.ISO_8859_1);
        return key(() -> ObjectKey.ofUtf8(decoded.getBytes(StandardCharsets.ISO_8859_1)));
    }
}
