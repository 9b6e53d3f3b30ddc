package io.millrace.gateway.cli;

import java.util.Map;

/** What the server says of a request it did not answer, in words of the command line. */
final class Problem {
    private static final Map<String, String> OPTIONS = Map.ofEntries(
            Map.entry("kind", "this kind of job"),
            Map.entry("from", "the selection"),
            Map.entry("from.bucket", "the bucket of s3://BUCKET/PREFIX"),
            Map.entry("from.prefix", "the prefix of s3://BUCKET/PREFIX"),
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
            Map.entry("to.bucket", "the bucket of the target"),
            Map.entry("to.prefix", "the prefix of the target"),
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

    private Problem() {}

    /**
     * What ends the command.
     *
     * @param problem of {@code application/problem+json}
     * @param who asked
     */
    static CliException of(int status, JsonObject problem, Credentials who) {
        String detail = PlainText.of(problem.text("detail"));
        String said = detail.isEmpty() ? "the server answered " + status : detail;
        return switch (status) {
            case 400, 413, 415 -> CliException.usage(where(problem.text("field")) + said);
            case 401 ->
                CliException.denied("%s%nSigned with the key %s of %s.".formatted(said, who.accessKey(), who.source()));
            case 403 -> CliException.denied(said);
            case 429 -> CliException.busy(said);
            default -> CliException.failed(said);
        };
    }

    private static String where(String field) {
        if (field.isEmpty()) {
            return "";
        }
        // Of a list, as from.keys[3], the option is one.
        int bracket = field.indexOf('[');
        String plain = bracket < 0 ? field : field.substring(0, bracket);
        String option = OPTIONS.getOrDefault(plain, PlainText.of(field));
        return bracket < 0 ? option + ": " : option + " " + PlainText.of(field.substring(bracket)) + ": ";
    }
}
