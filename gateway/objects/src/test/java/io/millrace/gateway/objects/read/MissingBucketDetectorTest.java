package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.PassingBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Clients learn whether the bucket or the key is missing, and probing for absent keys costs no extra requests. */
class MissingBucketDetectorTest {
    private final BackendException absent = new BackendException(FailureKind.NO_SUCH_KEY, "404");

    private final List<String> requested = new CopyOnWriteArrayList<>();
    private final InMemoryBackend objects = new InMemoryBackend().createBucket(new BucketName("there"));
    private final MissingBucketDetector missing = new MissingBucketDetector();

    @Test
    void bucketThatIsNotThereIsWhatIsMissing() {
        assertThat(explained("gone", Set.of(Capability.AMBIGUOUS_NOT_FOUND), absent)
                        .kind())
                .isEqualTo(FailureKind.NO_SUCH_BUCKET);
        assertThat(explained("gone", Set.of(Capability.AMBIGUOUS_NOT_FOUND), absent)
                        .kind())
                .isEqualTo(FailureKind.NO_SUCH_BUCKET);
    }

    @Test
    void bucketThatIsThereIsRequestedOnce() {
        for (int i = 0; i < 5; i++) {
            assertThat(explained("there", Set.of(Capability.AMBIGUOUS_NOT_FOUND), absent))
                    .isSameAs(absent);
        }
        assertThat(requested).containsExactly("there");
    }

    @Test
    void errorThatNamesWhatIsMissingCostsNoRequest() {
        BackendException said = absent.withS3Error(new S3Error(404, "NoSuchKey", ""));
        BackendException marker = absent.withHeaders(HeaderList.EMPTY.with("x-amz-delete-marker", "true"));
        BackendException down = new BackendException(FailureKind.UNAVAILABLE, "503");

        for (BackendException failure : List.of(said, marker, down)) {
            assertThat(explained("gone", Set.of(Capability.AMBIGUOUS_NOT_FOUND), failure))
                    .isSameAs(failure);
        }
        assertThat(explained("gone", Set.of(), absent)).isSameAs(absent);
        assertThat(requested).isEmpty();
    }

    @Test
    void failureOfTheRequestForTheBucketIsNotRemembered() {
        PassingBackend down = new PassingBackend(objects) {
            @Override
            public Mono<BucketInfo> headBucket(BucketName name) {
                requested.add(name.value());
                return Mono.error(new BackendException(FailureKind.UNAVAILABLE, "503"));
            }

            @Override
            public Set<Capability> capabilities() {
                return Set.of(Capability.AMBIGUOUS_NOT_FOUND);
            }
        };
        BucketView view = BucketViews.of("there", down, "there", "");

        for (int i = 0; i < 2; i++) {
            assertThat(catchThrowableOfType(
                            BackendException.class,
                            () -> missing.explain(view, absent).block()))
                    .isSameAs(absent);
        }
        assertThat(requested).as("nothing was learnt").hasSize(2);
    }

    @Test
    void bucketIsRequestedAgainAfterItsInvalidation() {
        Set<Capability> ambiguous = Set.of(Capability.AMBIGUOUS_NOT_FOUND);
        explained("there", ambiguous, absent);

        missing.forget("backend", new BucketName("other"));
        missing.forget("other", new BucketName("there"));
        explained("there", ambiguous, absent);
        assertThat(requested).hasSize(1);

        missing.forget("backend", new BucketName("there"));
        explained("there", ambiguous, absent);
        assertThat(requested).hasSize(2);

        missing.forgetAll();
        explained("there", ambiguous, absent);
        assertThat(requested).hasSize(3);
    }

    private BackendException explained(String bucket, Set<Capability> capabilities, BackendException failure) {
        Backend backend = (Backend) Proxy.newProxyInstance(
                Backend.class.getClassLoader(), new Class<?>[] {Backend.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("capabilities")) {
                        return capabilities;
                    }
                    requested.add(arguments[0].toString());
                    return method.invoke(objects, arguments);
                });
        BucketView view = BucketViews.of(bucket, backend, bucket, "");
        return missing.<Object>explain(view, failure)
                .materialize()
                .mapNotNull(signal -> (BackendException) signal.getThrowable())
                .blockOptional()
                .orElseThrow();
    }
}
