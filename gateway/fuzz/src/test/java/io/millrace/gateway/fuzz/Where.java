package io.millrace.gateway.fuzz;

import java.util.Locale;
import java.util.Optional;

/**
 * The bucket and key a request names, found step by step.
 *
 * @param bucket empty for the service
 * @param key one char a byte; empty for a bucket
 */
record Where(String bucket, String key) {
    /** Empty if the target cannot be read. */
    static Optional<Where> of(Input input) {
        String host = bucketOfTheHost(input);
        return Percent.decoded(input.rawPath(), false)
                .filter(path -> path.startsWith("/"))
                .map(path -> {
                    String rest = path.substring(1);
                    if (!host.isEmpty()) {
                        return new Where(host, rest);
                    }
                    int slash = rest.indexOf('/');
                    return slash < 0
                            ? new Where(rest, "")
                            : new Where(rest.substring(0, slash), rest.substring(slash + 1));
                });
    }

    /** What stands in front of our own domain; empty if the host is another. */
    static String bucketOfTheHost(Input input) {
        String host = input.only("host").orElse("").toLowerCase(Locale.ROOT);
        int colon = host.indexOf(':');
        String name = colon < 0 ? host : host.substring(0, colon);
        String domain = '.' + FuzzedGateway.DOMAIN;
        return name.endsWith(domain) ? name.substring(0, name.length() - domain.length()) : "";
    }
}
