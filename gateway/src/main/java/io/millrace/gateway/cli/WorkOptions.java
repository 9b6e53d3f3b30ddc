package io.millrace.gateway.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How a job works. */
final class WorkOptions {
    @Option(names = "--workers", paramLabel = "N", description = "Objects at a time, 1 to 256; 16 without.")
    private @Nullable Integer workers;

    @Option(names = "--bandwidth", paramLabel = "SIZE", description = "Bytes a second, of all workers: 200MiB.")
    private @Nullable String bandwidth;

    @Option(names = "--requests-per-second", paramLabel = "N", description = "Of all workers.")
    private @Nullable Integer requestsPerSecond;

    @Option(names = "--attempts", paramLabel = "N", description = "Of each object; 8 without, which is half a minute.")
    private @Nullable Integer attempts;

    @Option(names = "--dry-run", description = "Count what would be done.")
    private boolean dryRun;

    @Option(
            names = "--client-token",
            paramLabel = "T",
            description = "The same token is the same job: submitting it again answers with the one there is.")
    private @Nullable String clientToken;

    void putInto(Map<String, Object> request) {
        Fields.put(request, "workers", workers);
        Fields.put(request, "bandwidth", bandwidth);
        Fields.put(request, "requestsPerSecond", requestsPerSecond);
        Fields.put(request, "attempts", attempts);
        Fields.put(request, "dryRun", dryRun ? true : null);
        Fields.put(request, "clientToken", clientToken);
    }
}
