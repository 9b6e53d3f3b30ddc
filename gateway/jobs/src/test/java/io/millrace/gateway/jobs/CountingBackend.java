package io.millrace.gateway.jobs;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.ObjectRef;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** A backend wrapper that counts successful calls by name and key, and can delay them. */
public final class CountingBackend {
    private final Backend other;
    private final Map<String, Map<String, AtomicInteger>> calls = new ConcurrentHashMap<>();
    private final Map<String, Runnable> hooks = new ConcurrentHashMap<>();
    private final Map<String, Duration> late = new ConcurrentHashMap<>();
    private final Map<String, Hold> holds = new ConcurrentHashMap<>();
    private volatile Duration pause = Duration.ZERO;

    /** A barrier before calls, which some pass before it is lifted. */
    private record Hold(AtomicInteger free, Sinks.Empty<Void> lifted) {
        Mono<Void> pass() {
            return free.getAndDecrement() > 0 ? Mono.empty() : lifted.asMono().publishOn(Schedulers.parallel());
        }
    }

    public CountingBackend(Backend other) {
        this.other = other;
    }

    public Backend backend() {
        return (Backend) Proxy.newProxyInstance(
                Backend.class.getClassLoader(),
                new Class<?>[] {Backend.class},
                (proxy, method, arguments) -> call(method, arguments));
    }

    /** Delays each call about an object from now on. */
    void pause(long millis) {
        pause = Duration.ofMillis(millis);
    }

    /** Lets this many calls of a name pass from now on; later ones begin when {@link #release} lets them. */
    void holdAfter(int calls, String name) {
        holds.put(name, new Hold(new AtomicInteger(calls), Sinks.empty()));
    }

    void release(String name) {
        Objects.requireNonNull(holds.remove(name)).lifted().tryEmitEmpty();
    }

    /** Returns how many calls of a name wait for {@link #release}. */
    int waiting(String name) {
        return Math.max(0, -Objects.requireNonNull(holds.get(name)).free().get());
    }

    /** Sets an action before each call of this name; the call fails with what the action throws. */
    public void before(String name, Runnable hook) {
        hooks.put(name, hook);
    }

    /** Delays the responses of calls of this name, which have had their effect by then. */
    void respondLate(String name, Duration time) {
        late.put(name, time);
    }

    /** Returns the keys of the calls of this name. */
    Map<String, AtomicInteger> calls(String name) {
        return calls.getOrDefault(name, Map.of());
    }

    int total(String name) {
        return calls(name).values().stream().mapToInt(AtomicInteger::get).sum();
    }

    void forget() {
        calls.clear();
    }

    private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            Object response = method.invoke(other, arguments);
            Optional<String> key = arguments == null || arguments.length == 0 ? Optional.empty() : key(arguments[0]);
            if (key.isEmpty() || !(response instanceof Mono<?> requested)) {
                return response;
            }
            return Mono.delay(pause)
                    .delayUntil(ready -> Optional.ofNullable(holds.get(method.getName()))
                            .map(Hold::pass)
                            .orElse(Mono.empty()))
                    .doOnNext(ready ->
                            hooks.getOrDefault(method.getName(), () -> {}).run())
                    .then(requested.doOnSuccess(
                            done -> calls.computeIfAbsent(method.getName(), name -> new ConcurrentHashMap<>())
                                    .computeIfAbsent(key.get(), name -> new AtomicInteger())
                                    .incrementAndGet()))
                    .delayUntil(done -> Mono.delay(late.getOrDefault(method.getName(), Duration.ZERO)));
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    /** Returns the key of the object that is read or written. */
    private static Optional<String> key(Object argument) {
        return Optional.ofNullable(object(argument)).map(object -> object.key().value());
    }

    private static @Nullable ObjectRef object(Object argument) {
        if (argument instanceof ReadRequest read) {
            return read.object();
        }
        if (argument instanceof NewObject written) {
            return written.object();
        }
        if (argument instanceof CopySource copied) {
            return copied.object();
        }
        if (argument instanceof Deletion deleted) {
            return deleted.object();
        }
        return argument instanceof MultipartUpload upload ? upload.object() : null;
    }
}
