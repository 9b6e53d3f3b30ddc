package io.millrace.gateway.cli;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Translates an error response of the server to a {@link CliException} that names command-line options. */
final class ApiErrorTranslator {
    private static final Map<String, String> OPTIONS = Map.ofEntries(
            Map.entry("kind", "this kind of job"),
            Map.entry("from", "the selection"),
            Map.entry("from.bucket", "bucket"),
            Map.entry("from.prefix", "prefix"),
            Map.entry("from.template", "--template"),
            Map.entry("from.keys", "--keys-from"),
            Map.entry("from.urls", "the list of URLs"),
            Map.entry("from.manifest", "--manifest"),
            Map.entry("from.glob", "--glob"),
            Map.entry("from.regex", "--regex"),
            Map.entry("from.minSize", "--min-size"),
            Map.entry("from.maxSize", "--max-size"),
            Map.entry("from.newerThan", "--newer-than"),
            Map.entry("from.olderThan", "--older-than"),
            Map.entry("to", "the target"),
            Map.entry("to.bucket", "target bucket"),
            Map.entry("to.prefix", "prefix of the target"),
            Map.entry("shards.name", "name of the shards"),
            Map.entry("shards.size", "--shard-size"),
            Map.entry("shards.samples", "--samples"),
            Map.entry("shards.shuffle", "--shuffle"),
            Map.entry("shards.window", "--window"),
            Map.entry("shards.append", "--append"),
            Map.entry("range", "--range"),
            Map.entry("pin", "--pin"),
            Map.entry("overwrite", "--overwrite"),
            Map.entry("deleteExtra", "--delete-extra"),
            Map.entry("maxDelete", "--max-delete"),
            Map.entry("dryRun", "--dry-run"),
            Map.entry("workers", "--workers"),
            Map.entry("bandwidth", "--bandwidth"),
            Map.entry("requestsPerSecond", "--requests-per-second"),
            Map.entry("attempts", "--attempts"),
            Map.entry("clientToken", "--client-token"),
            Map.entry("since", "--since"));

    /** Fields of a request that has a target too. */
    private static final Map<String, String> OF_SOURCE =
            Map.of("from.bucket", "source bucket", "from.prefix", "prefix of the source");

    private static final Set<String> ARGUMENTS = Set.of("bucket", "prefix", "key");

    private ApiErrorTranslator() {}

    /**
     * Returns the exception for an error response.
     *
     * @param problem the body, as {@code application/problem+json}
     * @param credentials the credentials that signed the request
     * @param request the fields or parameters that were sent
     */
    static CliException of(int status, JsonObject problem, SigningCredentials credentials, Map<?, ?> request) {
        String detail = TerminalEscaper.escape(problem.text("detail"));
        String said = detail.isEmpty() ? "the server responded with status " + status : detail;
        return switch (status) {
            case 400, 413, 415 -> CliException.usage(where(problem.text("field"), request) + said);
            case 401 ->
                CliException.denied("%s%nThe request was signed with access key %s from %s."
                        .formatted(said, credentials.accessKey(), credentials.source()));
            case 403 -> CliException.denied(said);
            case 429 -> CliException.busy(said);
            default -> CliException.failed(said);
        };
    }

    private static String where(String field, Map<?, ?> request) {
        if (field.isEmpty()) {
            return "";
        }
        // One option stands for all elements of a list, as from.keys[3].
        int bracket = field.indexOf('[');
        String plain = bracket < 0 ? field : field.substring(0, bracket);
        String only = OPTIONS.getOrDefault(plain, TerminalEscaper.escape(field));
        String option = request.containsKey("to") ? OF_SOURCE.getOrDefault(plain, only) : only;
        return bracket < 0
                ? option + argument(field, request) + ": "
                : option + " " + TerminalEscaper.escape(field.substring(bracket)) + ": ";
    }

    /** Returns the value of a field that has no option of its own. */
    private static String argument(String field, Map<?, ?> request) {
        @Nullable Object value = request;
        for (String step : field.split("\\.", -1)) {
            value = value instanceof Map<?, ?> fields ? fields.get(step) : null;
        }
        boolean isArgument = ARGUMENTS.contains(field.substring(field.lastIndexOf('.') + 1));
        return isArgument && value instanceof String text ? " '" + TerminalEscaper.escape(text) + "'" : "";
    }
}
