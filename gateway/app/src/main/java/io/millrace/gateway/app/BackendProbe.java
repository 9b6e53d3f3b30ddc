package io.millrace.gateway.app;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.control.BackendCheck;
import io.millrace.gateway.control.BackendCheck.BucketFinding;
import io.millrace.gateway.control.BackendCheck.Finding;
import io.millrace.gateway.control.BackendCheck.Findings;
import io.millrace.gateway.control.BackendCheck.State;
import io.millrace.gateway.objects.bucket.ClientBucketNames;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

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
     * @param mayBeMeant whether reads may work all the same, as with credentials that may not list buckets
     */
    public record Fault(String subject, Finding finding, boolean mayBeMeant) {
        /** Returns what is wrong and what to do. */
        public String text() {
            return "%s: %s".formatted(finding.state().text(), finding.message());
        }
    }

    /**
     * The result of probing one backend.
     *
     * @param name the backend's name in the file
     * @param isUsable whether no fault is one of the backend itself
     * @param lists whether it has answered a list, of its buckets or of keys, as a store does that takes the
     *     credentials
     * @param leftOpen what its responses leave open, as a part of a sentence; empty if that is nothing
     */
    public record ProbeResult(String name, boolean isUsable, boolean lists, String leftOpen, List<Fault> faults) {
        public ProbeResult {
            faults = List.copyOf(faults);
        }

        /** Returns whether the server may be one of its type: what fails may be any other, or nobody. */
        public boolean mayBeOfItsType() {
            return isUsable
                    || faults.stream().noneMatch(fault -> fault.finding().state() == State.FAILS);
        }
    }

    public BackendProbe(Map<String, Backend> backends, ClientBucketNames names) {
        this.backends = Map.copyOf(backends);
        this.names = names;
    }

    /**
     * Checks all backends concurrently and returns the results by name; a failure of a whole backend is reported once.
     * Blocks.
     */
    public List<ProbeResult> run() {
        return Flux.fromStream(backends.entrySet().stream().sorted(Map.Entry.comparingByKey()))
                .flatMapSequential(entry -> probe(entry.getKey(), entry.getValue()), CONCURRENCY)
                .collectList()
                .blockOptional()
                .orElseThrow();
    }

    private Mono<ProbeResult> probe(String name, Backend backend) {
        BackendCheck check = new BackendCheck(name, backend, names, TIMEOUT);
        return check.run().flatMap(findings -> {
            Optional<BucketName> listed = findings.buckets().stream()
                    .filter(bucket -> bucket.finding().state() == State.ANSWERS)
                    .map(BucketFinding::bucket)
                    .filter(bucket -> backend.capabilities().contains(Capability.LIST))
                    .findFirst();
            if (findings.backend().state() != State.ANSWERS || listed.isEmpty()) {
                boolean lists = findings.buckets().isEmpty()
                        && findings.backend().state() == State.ANSWERS
                        && findings.leftOpen().isEmpty();
                return Mono.just(result(name, findings, lists));
            }
            return check.list(listed.get()).map(list -> listed(name, findings, new BucketFinding(listed.get(), list)));
        });
    }

    /** Returns the result with that of a list, which may find a fault that no HEAD shows. */
    private ProbeResult listed(String name, Findings findings, BucketFinding list) {
        State listed = list.finding().state();
        if (listed == State.UNKNOWN || listed == State.MISSING) {
            // Nothing was learned: the bucket was there a moment ago.
            return result(name, findings, false);
        }
        if (listed.isOfBackend()) {
            return result(name, new Findings(findings.at(), list.finding(), List.of()), false);
        }
        List<BucketFinding> buckets = findings.buckets().stream()
                .map(found -> found.bucket().equals(list.bucket()) ? list : found)
                .toList();
        return result(name, new Findings(findings.at(), findings.backend(), buckets), listed == State.ANSWERS);
    }

    private ProbeResult result(String name, Findings findings, boolean lists) {
        boolean isUsable = findings.backend().state() == State.ANSWERS;
        return new ProbeResult(
                name,
                isUsable,
                lists,
                findings.leftOpen(),
                faults(name, findings).toList());
    }

    private Stream<Fault> faults(String name, Findings findings) {
        if (findings.backend().state() != State.ANSWERS) {
            boolean mayBeMeant = !findings.backend().state().isOfBackend();
            return Stream.of(new Fault("backend " + name, findings.backend(), mayBeMeant));
        }
        return findings.buckets().stream()
                .filter(bucket -> bucket.finding().state() != State.ANSWERS)
                .flatMap(bucket -> names.inSettings(name, bucket.bucket()).stream()
                        .map(shown -> new Fault("bucket " + shown, bucket.finding(), false)));
    }
}
