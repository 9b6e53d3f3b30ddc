package io.millrace.gateway.fuzz;

import io.millrace.gateway.fuzz.FuzzedGateway.FuzzPrincipal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** What an Authorization header of version 4 claims, and whether it is so. */
final class HeaderClaim {
    private static final Duration SKEW = Duration.ofMinutes(15);
    private static final DateTimeFormatter TIMESTAMP = DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'");
    private static final String NOTHING = Hashes.hex("SHA-256", "");

    private final Input input;
    private final Map<String, String> parts = new HashMap<>();

    private HeaderClaim(Input input, String header) {
        this.input = input;
        String claim = header.substring(Math.min(header.length(), Version4.ALGORITHM.length()));
        for (String part : claim.split(",", -1)) {
            int equals = part.indexOf('=');
            String name = equals < 0 ? part : part.substring(0, equals);
            parts.put(name.strip(), part.substring(equals + 1).strip());
        }
    }

    /** Empty unless there is one such header. */
    static Optional<HeaderClaim> of(Input input) {
        return input.only("authorization")
                .filter(header -> header.startsWith(Version4.ALGORITHM))
                .map(header -> new HeaderClaim(input, header));
    }

    String signature() {
        return parts.getOrDefault("Signature", "");
    }

    /** What the signature must be; empty if the claim is not one that could be right. */
    Optional<String> rightSignature() {
        List<String> scope = List.of(parts.getOrDefault("Credential", "").split("/", -1));
        String names = parts.getOrDefault("SignedHeaders", "");
        Optional<String> timestamp = timestamp();
        boolean possible = scope.size() == 5
                && scope.get(3).equals("s3")
                && scope.get(4).equals("aws4_request")
                && timestamp.isPresent()
                && timestamp.get().startsWith(scope.get(1) + 'T')
                && isInTime(timestamp.get())
                && coversAll(names);
        Optional<FuzzPrincipal> who = possible ? who(scope.get(0)) : Optional.empty();
        List<String> hashes = input.all("x-amz-content-sha256");
        return who.map(known -> Version4.signature(
                input,
                known.secret(),
                new String[] {scope.get(1), scope.get(2)},
                timestamp.orElseThrow(),
                names,
                hashes.isEmpty() ? NOTHING : hashes.get(0)));
    }

    static Optional<FuzzPrincipal> who(String accessKey) {
        return Arrays.stream(FuzzPrincipal.values())
                .filter(who -> who.name().equals(accessKey))
                .findFirst();
    }

    static boolean isInTime(String timestamp) {
        return moment(timestamp)
                .filter(at -> Duration.between(at, FuzzedGateway.NOW).abs().compareTo(SKEW) <= 0)
                .isPresent();
    }

    static Optional<Instant> moment(String timestamp) {
        try {
            return Optional.of(LocalDateTime.parse(timestamp, TIMESTAMP).toInstant(ZoneOffset.UTC));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private Optional<String> timestamp() {
        if (!input.all("x-amz-date").isEmpty()) {
            return input.only("x-amz-date");
        }
        return input.only("date").map(date -> {
            try {
                return TIMESTAMP
                        .withZone(ZoneOffset.UTC)
                        .format(Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(date)));
            } catch (DateTimeException e) {
                return date;
            }
        });
    }

    private boolean coversAll(String names) {
        List<String> signed = List.of(names.split(";", -1));
        return signed.containsAll(Version4.mustBeSigned(input))
                && input.names().containsAll(signed)
                && List.copyOf(new TreeSet<>(signed)).equals(signed)
                && input.all("host").size() == 1;
    }
}
