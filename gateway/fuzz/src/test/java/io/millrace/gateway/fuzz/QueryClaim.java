package io.millrace.gateway.fuzz;

import io.millrace.gateway.fuzz.FuzzedGateway.FuzzPrincipal;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What a presigned URL claims, of version 4 or 2, and whether it is so. */
final class QueryClaim {
    private static final long LONGEST = Duration.ofDays(7).toSeconds();
    private static final String HASH = "x-amz-content-sha256";

    private final Input input;
    private final List<Percent.Pair> query;

    /** By name in lower case; a name that is there twice has no value. */
    private final Map<String, String> parameters = new HashMap<>();

    private QueryClaim(Input input, List<Percent.Pair> query) {
        this.input = input;
        this.query = query;
        for (Percent.Pair pair : query) {
            String name = pair.name().toLowerCase(Locale.ROOT);
            parameters.put(name, parameters.containsKey(name) ? "" : pair.value());
        }
    }

    /** Empty if the query cannot be read, or claims nothing. */
    static Optional<QueryClaim> of(Input input) {
        return Percent.query(input.target())
                .map(query -> new QueryClaim(input, query))
                .filter(claim -> claim.isOfVersion4() != claim.isOfVersion2());
    }

    boolean isOfVersion4() {
        return parameters.containsKey("x-amz-signature");
    }

    private boolean isOfVersion2() {
        return parameters.containsKey("signature");
    }

    String signature() {
        return value(isOfVersion4() ? "x-amz-signature" : "signature");
    }

    /** What the signature must be; empty if the claim is not one that could be right. */
    Optional<String> rightSignature() {
        return isOfVersion4() ? version4() : version2();
    }

    private Optional<String> version4() {
        List<String> scope = List.of(value("x-amz-credential").split("/", -1));
        String timestamp = value("x-amz-date");
        String names = value("x-amz-signedheaders");
        List<String> signed = List.of(names.split(";", -1));
        boolean possible = value("x-amz-algorithm").equals(Version4.ALGORITHM)
                && scope.size() == 5
                && scope.get(3).equals("s3")
                && scope.get(4).equals("aws4_request")
                && timestamp.startsWith(scope.get(1) + 'T')
                && isInTime(timestamp)
                && signed.containsAll(Version4.mustBeSigned(input))
                && input.names().containsAll(signed)
                && input.all("host").size() == 1;
        Optional<FuzzPrincipal> who = possible ? HeaderClaim.who(scope.get(0)) : Optional.empty();
        return who.map(known -> Version4.signature(
                input, known.secret(), new String[] {scope.get(1), scope.get(2)}, timestamp, names, payload()));
    }

    private Optional<String> version2() {
        String expires = value("expires");
        boolean possible =
                expires.matches("[0-9]{1,12}") && FuzzedGateway.NOW.getEpochSecond() <= Long.parseLong(expires);
        return possible
                ? HeaderClaim.who(value("awsaccesskeyid"))
                        .map(who -> Hashes.version2(who.secret(), Version2.stringToSign(input, query, expires)))
                : Optional.empty();
    }

    private String payload() {
        if (parameters.containsKey(HASH)) {
            return value(HASH);
        }
        List<String> inHeader = input.all(HASH);
        return inHeader.isEmpty() ? "UNSIGNED-PAYLOAD" : inHeader.get(0);
    }

    private boolean isInTime(String timestamp) {
        String expires = value("x-amz-expires");
        Optional<Instant> from = HeaderClaim.moment(timestamp);
        if (from.isEmpty() || !expires.matches("[0-9]{1,9}")) {
            return false;
        }
        long seconds = Long.parseLong(expires);
        return seconds >= 1
                && seconds <= LONGEST
                && !FuzzedGateway.NOW.isAfter(from.get().plusSeconds(seconds))
                && !from.get().isAfter(FuzzedGateway.NOW.plus(Duration.ofMinutes(15)));
    }

    private String value(String name) {
        return parameters.getOrDefault(name, "");
    }
}
