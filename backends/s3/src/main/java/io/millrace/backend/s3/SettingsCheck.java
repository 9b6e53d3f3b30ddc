package io.millrace.backend.s3;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** What keys of the operator's file cannot work together, or at all. */
final class SettingsCheck {
    /** A region becomes part of a host name and of a signature's scope. */
    private static final Pattern REGION = Pattern.compile("[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?");

    private SettingsCheck() {}

    /**
     * @throws IllegalArgumentException naming every problem and its remedy
     */
    static void check(S3BackendSettings settings) {
        List<String> problems = new ArrayList<>();
        settings.endpoint().ifPresent(endpoint -> checkEndpoint(endpoint, problems));
        if (!REGION.matcher(settings.region()).matches()) {
            problems.add("region: '%s' is no region; write one like us-east-1".formatted(settings.region()));
        }
        checkCredentials(settings, problems);
        if (settings.maxConnections() < 1) {
            problems.add("max-connections: must be 1 or more, not " + settings.maxConnections());
        }
        Map.of(
                        "connect-timeout", settings.connectTimeout(),
                        "first-byte-timeout", settings.firstByteTimeout(),
                        "idle-timeout", settings.idleTimeout())
                .forEach((key, value) -> checkTime(key, value, problems));
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
    }

    private static void checkEndpoint(URI endpoint, List<String> problems) {
        boolean web = "http".equals(endpoint.getScheme()) || "https".equals(endpoint.getScheme());
        boolean more = endpoint.getRawUserInfo() != null
                || endpoint.getRawQuery() != null
                || endpoint.getRawFragment() != null;
        if (!web || endpoint.getHost() == null || more) {
            problems.add("endpoint: must be http://host:port or https://host:port and nothing more; keys go into"
                    + " access-key and secret-key");
        }
    }

    private static void checkCredentials(S3BackendSettings settings, List<String> problems) {
        if (settings.accessKey().isPresent() != settings.secretKey().isPresent()) {
            problems.add("access-key and secret-key go together: give both or neither");
        }
        if (settings.sessionToken().isPresent() && settings.accessKey().isEmpty()) {
            problems.add("session-token: goes with access-key and secret-key; give them, or leave it out");
        }
        if (settings.anonymous() && settings.accessKey().isPresent()) {
            problems.add("anonymous: requests cannot be unsigned and signed with access-key; leave one out");
        }
    }

    private static void checkTime(String key, Duration value, List<String> problems) {
        if (value.isNegative() || value.isZero() || value.compareTo(Duration.ofDays(1)) > 0) {
            problems.add("%s: must be more than nothing and a day at most, not %s".formatted(key, value));
        }
    }
}
