package io.millrace.gateway.s3.protocol;

import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Finds the bucket in the host of a request: a sub-domain of the configured domain is virtual-host style, every other
 * host is path style.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html">Virtual hosting</a>
 */
public final class BucketHostRule {
    private static final Pattern IPV6 = Pattern.compile("\\[[0-9A-Fa-f:.%a-z]{2,64}\\](:[0-9]{1,5})?");
    private static final int LONGEST_NAME = 255;
    private static final int LONGEST_PORT = 5;

    private final Optional<String> suffix;

    /** @param domain the domain whose sub-domains are buckets; empty for path style only */
    public BucketHostRule(Optional<String> domain) {
        this.suffix = domain.map(d -> "." + d.toLowerCase(Locale.ROOT));
    }

    /**
     * Returns the bucket that the {@code Host} header names; empty for path style.
     *
     * @throws S3Exception (400) unless there is exactly one header and it is a host
     */
    public Optional<String> bucket(List<String> hosts) {
        if (hosts.size() != 1 || !isHost(hosts.get(0))) {
            throw invalid();
        }
        return suffix.flatMap(s -> inFrontOf(s, hosts.get(0)));
    }

    /** Returns whether the text is a valid {@code Host} header. */
    public static boolean isHost(String text) {
        if (text.startsWith("[")) {
            return IPV6.matcher(text).matches();
        }
        int end = 0;
        while (end < text.length() && isOfAName(text.charAt(end))) {
            end++;
        }
        return end >= 1 && end <= LONGEST_NAME && (end == text.length() || isPort(text, end));
    }

    private static boolean isOfAName(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= '0' && c <= '9')
                || (c >= 'A' && c <= 'Z')
                || c == '.'
                || c == '-'
                || c == '_';
    }

    /** Returns whether a colon and a port are all that follows. */
    private static boolean isPort(String text, int colon) {
        int digits = text.length() - colon - 1;
        if (text.charAt(colon) != ':' || digits < 1 || digits > LONGEST_PORT) {
            return false;
        }
        for (int i = colon + 1; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return true;
    }

    /** Returns the error for a request with an invalid host, several, or none. */
    public static S3Exception invalid() {
        return new S3Exception(S3ErrorCode.INVALID_REQUEST, "The request must have exactly one valid Host header.");
    }

    private static Optional<String> inFrontOf(String suffix, String host) {
        int port = host.startsWith("[") ? -1 : host.indexOf(':');
        String name = (port < 0 ? host : host.substring(0, port)).toLowerCase(Locale.ROOT);
        return name.endsWith(suffix)
                ? Optional.of(name.substring(0, name.length() - suffix.length()))
                : Optional.empty();
    }
}
