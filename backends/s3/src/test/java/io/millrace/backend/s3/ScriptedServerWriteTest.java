package io.millrace.backend.s3;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.server.ScriptedServer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The base class of write tests with a {@link ScriptedServer}. */
abstract class ScriptedServerWriteTest extends ScriptedServerTest {
    static final int PIECE = 16 << 10;

    static ObjectRef ref(String key) {
        return new ObjectRef(BUCKET, new ObjectKey(key));
    }

    static NewObject object(String key) {
        return new NewObject(ref(key), HeaderList.EMPTY, WriteCondition.ALWAYS);
    }

    static Mono<WriteResult> put(Backend backend, UploadBody body) {
        return backend.put(object("key"), body);
    }

    /** A body of these bytes whose buffers are allocated on request. */
    static UploadBody body(byte[] bytes) {
        return UploadBody.of(bytes.length, pieces(bytes, new AtomicInteger()));
    }

    /** Counts in {@code made} the bytes that were requested. */
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

    /** Sends the response to a successful write. */
    static void acknowledge(ScriptedServer.ServerConnection wire) throws IOException {
        wire.head("200 OK", "Content-Length: 0", "ETag: \"written\"");
    }
}
