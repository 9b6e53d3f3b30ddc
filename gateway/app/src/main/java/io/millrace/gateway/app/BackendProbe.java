package io.millrace.gateway.app;

import io.millrace.backend.spi.Backend;
import io.millrace.gateway.app.BackendCheck.Finding;
import io.millrace.gateway.app.BackendCheck.Findings;
import io.millrace.gateway.app.BackendCheck.State;
import io.millrace.gateway.objects.bucket.ClientBucketNames;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import reactor.core.publisher.Flux;

/** Checks the backends and buckets of a settings file once, for {@code millrace doctor}. */
public final class BackendProbe {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int CONCURRENCY = 16;

    private final Map<String, Backend> backends;
    private final ClientBucketNames names;

    /**
     * Failed check of a backend or bucket.
     *
     * @param subject the backend or bucket, as the file names it
     */
    public record Fault(String subject, Finding finding) {
        /** Returns what is wrong and what to do. */
        public String text() {
            return "%s: %s".formatted(finding.state().text(), finding.message());
        }
    }

    public BackendProbe(Map<String, Backend> backends, ClientBucketNames names) {
        this.backends = Map.copyOf(backends);
        this.names = names;
    }

    /**
     * Checks all backends concurrently and returns the failures; a failure of a whole backend is reported once. Blocks.
     */
    public List<Fault> run() {
        return Flux.fromStream(backends.entrySet().stream().sorted(Map.Entry.comparingByKey()))
                .flatMapSequential(entry -> probe(entry.getKey(), entry.getValue()), CONCURRENCY)
                .collectList()
                .blockOptional()
                .orElseThrow();
    }

    private Flux<Fault> probe(String name, Backend backend) {
        return new BackendCheck(backend, names.on(name), TIMEOUT)
                .run()
                .flatMapIterable(findings -> faults(name, findings).toList());
    }

    private Stream<Fault> faults(String name, Findings findings) {
        if (findings.backend().state() != State.ANSWERS) {
            return Stream.of(new Fault("backend " + name, findings.backend()));
        }
        return findings.buckets().stream()
                .filter(bucket -> bucket.finding().state() != State.ANSWERS)
                .flatMap(bucket -> names.inSettings(name, bucket.bucket()).stream()
                        .map(shown -> new Fault("bucket " + shown, bucket.finding())));
    }
}
