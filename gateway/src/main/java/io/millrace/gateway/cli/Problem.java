package io.millrace.gateway.cli;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the server says of a request it did not answer, in words of the command line. */
final class Problem {
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
            Map.entry("range", "--range"),
            Map.entry("keep", "--keep"),
            Map.entry("which", "--which"),
            Map.entry("deleteExtra", "--delete-extra"),
            Map.entry("dryRun", "--dry-run"),
            Map.entry("workers", "--workers"),
            Map.entry("bandwidth", "--bandwidth"),
            Map.entry("requestsPerSecond", "--requests-per-second"),
            Map.entry("attempts", "--attempts"),
            Map.entry("clientToken", "--client-token"));

    private static final Set<String> ARGUMENTS = Set.of("bucket", "prefix", "key");

    private Problem() {}

    /**
     * What ends the command.
     *
     * @param problem of {@code application/problem+json}
     * @param who asked
     * @param request the fields or parameters that were sent
     */
    static CliException of(int status, JsonObject problem, Credentials who, Map<?, ?> request) {
        String detail = PlainText.of(problem.text("detail"));
        String said = detail.isEmpty() ? "the server answered " + status : detail;
        return switch (status) {
            case 400, 413, 415 -> CliException.usage(where(problem.text("field"), request) + said);
            case 401 ->
                CliException.denied("%s%nSigned with the key %s of %s.".formatted(said, who.accessKey(), who.source()));
            case 403 -> CliException.denied(said);
            case 429 -> CliException.busy(said);
            default -> CliException.failed(said);
        };
    }

    private static String where(String field, Map<?, ?> request) {
        if (field.isEmpty()) {
            return "";
        }
        // Of a list, as from.keys[3], the option is one.
        int bracket = field.indexOf('[');
        String plain = bracket < 0 ? field : field.substring(0, bracket);
        String option = OPTIONS.getOrDefault(plain, PlainText.of(field));
        return bracket < 0
                ? option + argument(field, request) + ": "
                : option + " " + PlainText.of(field.substring(bracket)) + ": ";
    }

    /** What has no option of its own is told with what it was. */
    private static String argument(String field, Map<?, ?> request) {
        @Nullable Object value = request;
        for (String step : field.split("\\.", -1)) {
            value = value instanceof Map<?, ?> fields ? fields.get(step) : null;
        }
        boolean isArgument = ARGUMENTS.contains(field.substring(field.lastIndexOf('.') + 1));
        return isArgument && value instanceof String text ? " '" + PlainText.of(text) + "'" : "";
    }
}
