package io.millrace.gateway.fuzz;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What version 2 signs, by AWS's page and without a line of the code under test.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/RESTAuthentication.html">Signing REST requests</a>
 */
final class Version2 {
    /** What names something else than the object, or changes the answer. */
    private static final List<String> SUB_RESOURCES = Arrays.asList("""
            accelerate acl analytics cors defaultObjectAcl delete inventory lifecycle location logging metrics notification
            object-lock partNumber policy replication requestPayment response-cache-control response-content-disposition
            response-content-encoding response-content-language response-content-type response-expires restore select
            select-type storageClass tagging torrent uploadId uploads versionId versioning versions website\
            """.split("\\s+", -1));

    private Version2() {}

    static String stringToSign(Input input, List<Percent.Pair> query, String expires) {
        List<String> lines = new ArrayList<>();
        lines.add(input.method());
        lines.add(field(input, query, "content-md5"));
        lines.add(field(input, query, "content-type"));
        lines.add(expires);
        Map<String, String> amz = new TreeMap<>();
        for (String name : input.names()) {
            if (name.startsWith("x-amz-")) {
                amz.put(name, input.all(name).stream().map(String::strip).collect(Collectors.joining(",")));
            }
        }
        for (Percent.Pair pair : query) {
            String name = pair.name().toLowerCase(Locale.ROOT);
            if (name.startsWith("x-amz-")) {
                amz.put(name, pair.value());
            }
        }
        amz.forEach((name, value) -> lines.add(name + ':' + value));
        lines.add(bucketOfTheHost(input) + input.rawPath() + subResources(query));
        return String.join("\n", lines);
    }

    private static String field(Input input, List<Percent.Pair> query, String name) {
        return input.only(name)
                .map(String::strip)
                .orElseGet(() -> query.stream()
                        .filter(pair -> pair.name().equals(name))
                        .map(Percent.Pair::value)
                        .findFirst()
                        .orElse(""));
    }

    private static String bucketOfTheHost(Input input) {
        String bucket = Where.bucketOfTheHost(input);
        return bucket.isEmpty() ? "" : '/' + bucket;
    }

    private static String subResources(List<Percent.Pair> query) {
        List<Percent.Pair> signed = new ArrayList<>();
        for (Percent.Pair pair : query) {
            if (SUB_RESOURCES.contains(pair.name())) {
                signed.add(pair);
            }
        }
        signed.sort((one, other) -> one.name().compareTo(other.name()));
        StringBuilder out = new StringBuilder();
        for (Percent.Pair pair : signed) {
            out.append(out.isEmpty() ? '?' : '&').append(pair.name());
            out.append(pair.value().isEmpty() ? "" : '=' + pair.value());
        }
        return out.toString();
    }
}
