package io.millrace.gateway.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The command-line options that limit a job: workers, rates and attempts. */
final class JobLimitOptions {
    @Option(names = "--workers", paramLabel = "N", description = "Objects processed at a time, 1 to 256 (default: 16).")
    private @Nullable Integer workers;

    @Option(
            names = "--bandwidth",
            paramLabel = "SIZE",
            description = "Maximum bytes per second of all workers, at least 1KiB: 200MiB.")
    private @Nullable String bandwidth;

    @Option(
            names = "--requests-per-second",
            paramLabel = "N",
            description = "Maximum requests per second of all workers.")
    private @Nullable Integer requestsPerSecond;

    @Option(
            names = "--attempts",
            paramLabel = "N",
            description = "Attempts per object (default: 8, about half a minute).")
    private @Nullable Integer attempts;

    @Option(names = "--dry-run", description = "Only count what would be done.")
    private boolean dryRun;

    @Option(
            names = "--client-token",
            paramLabel = "T",
            description = "Idempotency token: submitting it again returns the existing job.")
    private @Nullable String clientToken;

    void putInto(Map<String, Object> request) {
        JobRequestFieldWriter.putIfPresent(request, "workers", workers);
        JobRequestFieldWriter.putIfPresent(request, "bandwidth", bandwidth);
        JobRequestFieldWriter.putIfPresent(request, "requestsPerSecond", requestsPerSecond);
        JobRequestFieldWriter.putIfPresent(request, "attempts", attempts);
        JobRequestFieldWriter.putIfPresent(request, "dryRun", dryRun ? true : null);
        JobRequestFieldWriter.putIfPresent(request, "clientToken", clientToken);
    }
}
