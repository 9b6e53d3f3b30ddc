package io.millrace.gateway.fuzz;

import io.millrace.gateway.fuzz.FuzzedGateway.FuzzPrincipal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What version 4 signs, by the letter of AWS's page and without a line of the code under test.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html">Signature
 * calculations</a>
 */
final class Version4 {
    static final String ALGORITHM = "AWS4-HMAC-SHA256";
    static final String TIMESTAMP = "20261120T120000Z";
    static final String DATE = "20261120";
    static final String REGION = "us-east-1";
    static final String SCOPE = DATE + '/' + REGION + "/s3/aws4_request";

    private static final String UNSIGNED = "UNSIGNED-PAYLOAD";
    private static final String HASH = "x-amz-content-sha256";

    private Version4() {}

    /** The request with a header that signs all that must be signed. Unless something in it signs it already. */
    static Input sign(Input input, FuzzPrincipal who) {
        if (!input.all("authorization").isEmpty() || input.target().contains("Signature")) {
            return input;
        }
        Input dated = input.without("x-amz-date")
                .with("x-amz-date", TIMESTAMP)
                .withDefault("host", "a")
                .withDefault(HASH, UNSIGNED);
        String names = String.join(";", mustBeSigned(dated));
        String signature = signature(
                dated,
                who.secret(),
                new String[] {DATE, REGION},
                TIMESTAMP,
                names,
                dated.all(HASH).get(0));
        return dated.with(
                "authorization",
                ALGORITHM + " Credential=" + who + '/' + SCOPE + ", SignedHeaders=" + names + ", Signature="
                        + signature);
    }

    /**
     * The signature of a request.
     *
     * @param scope day and region
     * @param names of the signed headers, with semicolons between
     * @param payload what stands for the body
     * @return empty text if the target cannot be read
     */
    static String signature(
            Input input, String secret, String[] scope, String timestamp, String names, String payload) {
        String path = Percent.decoded(input.rawPath(), false).orElse(null);
        List<Percent.Pair> query = Percent.query(input.target()).orElse(null);
        if (path == null || query == null) {
            return "";
        }
        StringBuilder canonical = new StringBuilder();
        canonical.append(input.method()).append('\n');
        canonical.append(Percent.encoded(path, true)).append('\n');
        canonical.append(canonicalQuery(query)).append('\n');
        Map<String, List<String>> fields = fields(input);
        for (String name : names.split(";", -1)) {
            canonical.append(name).append(':');
            List<String> values = new ArrayList<>();
            fields.getOrDefault(name, List.of()).forEach(value -> values.add(collapsed(value)));
            canonical.append(String.join(",", values)).append('\n');
        }
        canonical.append('\n').append(names).append('\n').append(payload);
        return Hashes.version4(
                secret,
                scope[0],
                scope[1],
                String.join(
                        "\n",
                        ALGORITHM,
                        timestamp,
                        scope[0] + '/' + scope[1] + "/s3/aws4_request",
                        Hashes.hex("SHA-256", canonical.toString())));
    }

    /** The host, and every {@code x-amz-} header there is. */
    static SortedSet<String> mustBeSigned(Input input) {
        SortedSet<String> names = new TreeSet<>();
        names.add("host");
        for (String name : input.names()) {
            if (name.startsWith("x-amz-")) {
                names.add(name);
            }
        }
        return names;
    }

    private static Map<String, List<String>> fields(Input input) {
        Map<String, List<String>> fields = new TreeMap<>();
        for (Input.Field field : input.fields()) {
            fields.computeIfAbsent(field.name(), name -> new ArrayList<>()).add(field.value());
        }
        return fields;
    }

    private static String canonicalQuery(List<Percent.Pair> query) {
        List<String[]> encoded = new ArrayList<>();
        for (Percent.Pair pair : query) {
            if (!pair.name().toLowerCase(Locale.ROOT).equals("x-amz-signature")) {
                encoded.add(new String[] {Percent.encoded(pair.name(), false), Percent.encoded(pair.value(), false)});
            }
        }
        encoded.sort(Comparator.<String[], String>comparing(pair -> pair[0]).thenComparing(pair -> pair[1]));
        List<String> joined = new ArrayList<>();
        encoded.forEach(pair -> joined.add(pair[0] + '=' + pair[1]));
        return String.join("&", joined);
    }

    private static String collapsed(String value) {
        StringBuilder out = new StringBuilder();
        for (String word : value.split("[ \t\n\u000B\f\r]+", -1)) {
            out.append(out.isEmpty() || word.isEmpty() ? "" : " ").append(word);
        }
        return out.toString();
    }
}
