package io.millrace.gateway.write;

import io.millrace.backend.spi.Backend;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/**
 * A backend whose answers to reads, refusals too, may be on their way for long: they are those of the time of the
 * question.
 */
public final class BlockedReads {
    private static final Set<String> READS = Set.of("open", "head", "listObjects");

    private final Queue<Publisher<?>> releases = new ConcurrentLinkedQueue<>();
    private final AtomicInteger held = new AtomicInteger();
    private final Backend backend;

    public BlockedReads(Backend inner) {
        this.backend = (Backend) Proxy.newProxyInstance(
                Backend.class.getClassLoader(), new Class<?>[] {Backend.class}, (proxy, method, args) -> {
                    Object result = invoke(inner, method, args);
                    return READS.contains(method.getName()) && result instanceof Mono<?> response
                            ? late(response)
                            : result;
                });
    }

    public Backend backend() {
        return backend;
    }

    /** The next answer comes when {@code release} completes; further calls are for those behind it. */
    public void holdNext(Publisher<?> release) {
        releases.add(release);
    }

    /** How many answers have been held, or are. */
    public int held() {
        return held.get();
    }

    private <T> Mono<T> late(Mono<T> response) {
        return Mono.defer(() -> {
            Publisher<?> release = releases.poll();
            return release == null
                    ? response
                    : response.materialize()
                            .doOnNext(known -> held.incrementAndGet())
                            .delayUntil(known -> release)
                            .dematerialize();
        });
    }

    private static @Nullable Object invoke(Backend inner, Method method, Object @Nullable [] args) throws Throwable {
        try {
            return method.invoke(inner, args);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }
}
