package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.testkit.PassingBackend;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A backend of computed bytes that fails or hangs while a test wants that, and that can what the test says. */
final class SwitchedBackend extends PassingBackend {
    private final List<String> unanswered = new CopyOnWriteArrayList<>();
    private final List<String> others = new CopyOnWriteArrayList<>();
    private final Set<Capability> capabilities;
    private volatile @Nullable Supplier<BackendException> failure;
    private volatile @Nullable Supplier<BackendException> failureOfParts;
    private volatile boolean hangs;

    SwitchedBackend(ComputedBackend inner, Capability... more) {
        super(inner);
        capabilities = new HashSet<>(inner.capabilities());
        capabilities.addAll(List.of(more));
    }

    /** Reads fail with this from now on. */
    void fail(BackendException with) {
        failure = () -> with.withMessage(String.valueOf(with.getMessage()));
    }

    /** Requests for parts fail with this from now on. */
    void failParts(BackendException with) {
        failureOfParts = () -> with.withMessage(String.valueOf(with.getMessage()));
    }

    /** Reads get no answer from now on. */
    void hang() {
        hangs = true;
    }

    void recover() {
        failure = null;
        failureOfParts = null;
        hangs = false;
    }

    /** Returns the reads that failed or hang: GET or HEAD, and the key. */
    List<String> unanswered() {
        return List.copyOf(unanswered);
    }

    /** Returns the requests for lists and buckets. */
    List<String> others() {
        return List.copyOf(others);
    }

    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        return answered("HEAD", request, super.head(request));
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return answered("GET", request, super.open(request));
    }

    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        return super.listObjects(request).doFirst(() -> others.add("LIST " + request.prefix()));
    }

    @Override
    public Mono<BucketInfo> headBucket(BucketName name) {
        return super.headBucket(name).doFirst(() -> others.add("BUCKET " + name));
    }

    @Override
    public Set<Capability> capabilities() {
        return capabilities;
    }

    private <T> Mono<T> answered(String method, ReadRequest request, Mono<T> answer) {
        return Mono.defer(() -> {
            Supplier<BackendException> chosen =
                    request.selection() instanceof ByteSelection.PartSelection && failureOfParts != null
                            ? failureOfParts
                            : failure;
            if (chosen == null && !hangs) {
                return answer;
            }
            unanswered.add(method + " " + request.object().key().value());
            return chosen == null ? Mono.never() : Mono.error(chosen.get());
        });
    }
}
