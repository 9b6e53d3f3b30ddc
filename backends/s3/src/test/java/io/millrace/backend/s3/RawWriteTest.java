package io.millrace.backend.s3;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.Written;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What the tests of writes with a {@link RawOrigin} share. */
abstract class RawWriteTest extends RawBackendTest {
    static final int PIECE = 16 << 10;

    static ObjectRef ref(String key) {
        return new ObjectRef(BUCKET, new ObjectKey(key));
    }

    static NewObject object(String key) {
        return new NewObject(ref(key), HeaderList.EMPTY, WriteCondition.ALWAYS);
    }

    static Mono<Written> put(Backend backend, UploadBody body) {
        return backend.put(object("key"), body);
    }

    /** All of these bytes, each piece made when it is asked for. */
    static UploadBody body(byte[] bytes) {
        return UploadBody.of(bytes.length, pieces(bytes, new AtomicInteger()));
    }

    /** Tells in {@code made} how many bytes were asked for. */
    static Flux<ByteBuf> pieces(byte[] bytes, AtomicInteger made) {
        return Flux.generate(sink -> {
            int at = made.get();
            int length = Math.min(PIECE, bytes.length - at);
            if (length == 0) {
                sink.complete();
                return;
            }
            made.addAndGet(length);
            sink.next(ByteBufAllocator.DEFAULT.buffer(length).writeBytes(bytes, at, length));
        });
    }

    /** The answer to a write that was taken. */
    static void acknowledge(RawOrigin.Wire wire) throws IOException {
        wire.head("200 OK", "Content-Length: 0", "ETag: \"written\"");
    }
}
