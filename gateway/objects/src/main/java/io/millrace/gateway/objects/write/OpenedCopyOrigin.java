package io.millrace.gateway.objects.write;

import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.UploadBody;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The opened source object of a copy: its metadata and its bytes. */
public record OpenedCopyOrigin(ObjectHead head, UploadBody body) {
    /**
     * Passes an opened object to {@code write}, and discards it if the write ends before it subscribes to the bytes.
     *
     * @param content owned by this method
     */
    public static <T> Mono<T> use(ObjectContent content, Function<OpenedCopyOrigin, Mono<T>> write) {
        AtomicBoolean taken = new AtomicBoolean();
        Flux<ByteBuf> body = Flux.defer(() -> taken.compareAndSet(false, true)
                ? content.body()
                : Flux.error(new IllegalStateException("the source of the copy is closed")));
        return Mono.defer(
                        () -> write.apply(new OpenedCopyOrigin(content.head(), UploadBody.of(content.length(), body))))
                .doFinally(end -> {
                    if (taken.compareAndSet(false, true)) {
                        content.discard();
                    }
                });
    }
}
