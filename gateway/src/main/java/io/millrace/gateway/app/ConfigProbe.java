package io.millrace.gateway.app;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.BucketName;
import io.millrace.gateway.bucket.BucketSettings;
import io.millrace.gateway.observe.LogText;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Asks the backends of a file whether they can be reached, take the keys, and have the buckets. Each bucket that the file names
 * costs a HeadBucket; what is wrong with the keys stands in the response to a ListBuckets, since that to a HeadBucket has no text.
 */
final class ConfigProbe {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int CONCURRENCY = 16;
    private static final Pattern CODE = Pattern.compile("\\b40[0-9] ([A-Z][A-Za-z]+)");
    private static final Set<String> UNKNOWN_KEY = Set.of("InvalidAccessKeyId", "InvalidAccessKey");
    private static final Set<String> WRONG_SECRET = Set.of("SignatureDoesNotMatch");

    private final Map<String, Backend> backends;
    private final List<BucketSettings> buckets;

    /**
     * One thing that is wrong at a backend.
     *
     * @param subject the backend or bucket, as the file names it
     */
    record Fault(String subject, String what, String remedy) {
        @Override
        public String toString() {
            return "%s%n   problem: %s%n   remedy:  %s".formatted(subject, what, remedy);
        }
    }

    /** @param backends by name; those whose buckets are to be asked for */
    ConfigProbe(Map<String, Backend> backends, List<BucketSettings> buckets) {
        this.backends = Map.copyOf(backends);
        this.buckets = List.copyOf(buckets);
    }

    /** Asks all at the same time; what is wrong with a backend as a whole is told once. */
    List<Fault> run() {
        return Flux.fromStream(backends.entrySet().stream().sorted(Map.Entry.comparingByKey()))
                .flatMapSequential(entry -> probe(entry.getKey(), entry.getValue()), CONCURRENCY)
                .distinct()
                .collectList()
                .blockOptional()
                .orElseThrow();
    }

    private Flux<Fault> probe(String name, Backend backend) {
        List<BucketSettings> named = buckets.stream()
                .filter(entry ->
                        entry.backend().equals(name) && entry.name().value().indexOf('*') < 0)
                .toList();
        if (named.isEmpty()) {
            return ask(backend.buckets())
                    .map(failure -> ofBackend(name, failure))
                    .flux();
        }
        return Flux.fromIterable(named).flatMapSequential(entry -> probe(name, backend, entry), CONCURRENCY);
    }

    private static Mono<Fault> probe(String name, Backend backend, BucketSettings entry) {
        BucketName real =
                entry.bucket().orElseGet(() -> new BucketName(entry.name().value()));
        return ask(backend.bucket(real)).flatMap(failure -> switch (kind(failure)) {
            case NO_SUCH_BUCKET ->
                Mono.just(new Fault(
                        "bucket %s".formatted(entry.name().value()),
                        "backend %s has no bucket %s".formatted(name, real),
                        "create it there, or correct bucket in this entry of buckets"));
            case ACCESS_DENIED -> refused(name, backend, entry.name().value(), real);
            default -> Mono.just(ofBackend(name, failure));
        });
    }

    /** Whether the keys are wrong, or only may not look at this bucket. */
    private static Mono<Fault> refused(String name, Backend backend, String shown, BucketName real) {
        Fault noRight = new Fault(
                "bucket %s".formatted(shown),
                "backend %s does not let its keys look at bucket %s (HeadBucket)".formatted(name, real),
                "give them s3:ListBucket on it, or correct bucket in this entry; reads may work all the same");
        return ask(backend.buckets())
                .filter(failure -> !code(failure).equals("AccessDenied"))
                .map(failure -> ofBackend(name, failure))
                .defaultIfEmpty(noRight);
    }

    private static Fault ofBackend(String name, Throwable failure) {
        String subject = "backends." + name;
        String message = LogText.escape(String.valueOf(failure.getMessage()));
        if (UNKNOWN_KEY.contains(code(failure))) {
            return new Fault(subject, "the server does not know the access key: " + message, "correct access-key");
        }
        if (WRONG_SECRET.contains(code(failure))) {
            return new Fault(subject, "the secret does not fit the access key: " + message, "correct secret-key");
        }
        if (kind(failure) == Kind.ACCESS_DENIED) {
            return new Fault(
                    subject,
                    "the server refuses the keys: " + message,
                    "correct access-key and secret-key, or give them the right s3:ListAllMyBuckets, which \"*\" in"
                            + " buckets needs");
        }
        return new Fault(
                subject,
                failure instanceof TimeoutException
                        ? "no answer in %d s".formatted(TIMEOUT.toSeconds())
                        : "it cannot be used: " + message,
                "correct endpoint, or start the server and let this machine connect to it");
    }

    /** What the question failed with; empty if it did not. */
    private static Mono<Throwable> ask(Mono<?> question) {
        return question.timeout(TIMEOUT)
                .map(answered -> Optional.<Throwable>empty())
                .defaultIfEmpty(Optional.empty())
                .onErrorResume(failure -> Mono.just(Optional.of(failure)))
                .flatMap(Mono::justOrEmpty);
    }

    private static Kind kind(Throwable failure) {
        return failure instanceof BackendException known ? known.kind() : Kind.UNEXPECTED;
    }

    /** S3's code of the error. A refusal of the keys is no text for clients, so it stands in the message alone. */
    private static String code(Throwable failure) {
        Matcher code = CODE.matcher(String.valueOf(failure.getMessage()));
        return code.find() ? code.group(1) : "";
    }
}
