package io.millrace.auth.signature;

import io.millrace.auth.CredentialScope;
import io.millrace.auth.Sha256;
import io.millrace.auth.UriEncoding;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Canonical form of a request, which is hashed and signed:
 *
 * <pre>
 * method
 * path, percent-encoded once, as it was sent (S3 folds no {@code ..} and no {@code //})
 * query, encoded, sorted by name, then value
 * name:value of each signed header, a line each
 *
 * names of the signed headers, joined by semicolons
 * hash of the body, or the word that stands for it
 * </pre>
 *
 * @param text the canonical form; one char is one byte
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html">The canonical
 * request</a>
 */
record CanonicalRequest(String text) {
    /** The algorithm's name, in the string to sign and on the wire. */
    static final String ALGORITHM = "AWS4-HMAC-SHA256";

    /** Returns the text that the signing key signs. */
    String stringToSign(String timestamp, CredentialScope scope) {
        return ALGORITHM
                + '\n'
                + timestamp
                + '\n'
                + scope.text()
                + '\n'
                + Sha256.hex(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Returns a builder for a method and a path, which is decoded and begins with a slash. */
    static Builder of(String method, String path) {
        return new Builder(method, path);
    }

    /** Builds a canonical request from its parts. For one thread. */
    static final class Builder {
        private final String method;
        private final String path;
        private final List<Parameter> query = new ArrayList<>();
        private final StringBuilder headers = new StringBuilder(256);
        private final StringBuilder names = new StringBuilder(64);

        private Builder(String method, String path) {
            this.method = method;
            this.path = path;
        }

        /** Adds a decoded query parameter; the order does not matter. */
        Builder parameter(String name, String value) {
            query.add(new Parameter(UriEncoding.ofQuery(name), UriEncoding.ofQuery(value)));
            return this;
        }

        /**
         * Adds a signed header with all its values. The caller adds headers in ascending order of names.
         *
         * @param name in lower case
         * @param values one char per byte, as HTTP/1.1 carries them
         */
        Builder header(String name, List<String> values) {
            headers.append(name).append(':');
            for (int i = 0; i < values.size(); i++) {
                if (i > 0) {
                    headers.append(',');
                }
                appendCollapsed(headers, values.get(i));
            }
            headers.append('\n');
            names.append(names.isEmpty() ? "" : ";").append(name);
            return this;
        }

        /** Returns the canonical request for {@code payload}, a hash in hex or one of S3's constants. */
        CanonicalRequest build(String payload) {
            StringBuilder text = new StringBuilder(256 + headers.length());
            text.append(method).append('\n');
            text.append(UriEncoding.ofPath(path)).append('\n');
            appendQuery(text);
            text.append('\n').append(headers).append('\n').append(names).append('\n');
            return new CanonicalRequest(text.append(payload).toString());
        }

        private void appendQuery(StringBuilder text) {
            query.sort(Parameter.ORDER);
            for (int i = 0; i < query.size(); i++) {
                text.append(i > 0 ? "&" : "").append(query.get(i).name());
                text.append('=').append(query.get(i).value());
            }
        }
    }

    /** Appends {@code value} without white space at its ends; each run of white space inside becomes one space. */
    static void appendCollapsed(StringBuilder text, String value) {
        boolean gap = false;
        int start = text.length();
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == ' ' || (c >= '\t' && c <= '\r')) {
                gap = true;
                continue;
            }
            if (gap && text.length() > start) {
                text.append(' ');
            }
            gap = false;
            text.append(c);
        }
    }

    /** Encoded query parameter. It is ASCII, so the order of chars is the order of bytes. */
    private record Parameter(String name, String value) {
        static final Comparator<Parameter> ORDER =
                Comparator.comparing(Parameter::name).thenComparing(Parameter::value);
    }
}
