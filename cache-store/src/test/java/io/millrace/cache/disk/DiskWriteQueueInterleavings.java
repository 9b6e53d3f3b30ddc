package io.millrace.cache.disk;

import static io.millrace.backend.testkit.interleaving.InterleavingSearch.require;
import static io.millrace.backend.testkit.interleaving.InterleavingSearch.runConcurrently;
import static io.millrace.backend.testkit.interleaving.InterleavingSearch.search;

import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.monitor.CacheEventListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Whoever hands a record to a disk hears once what became of it, whoever gives up, ends or closes meanwhile. */
class DiskWriteQueueInterleavings {
    private static final ByteBuf BODY = Unpooled.wrappedBuffer(new byte[3]);

    @Test
    void reportsTheOutcomeOfEachRecordOnce() {
        search("writes: each is reported once, while some are dropped and the disk is closed", () -> {
            DiskWriteQueue queue = new DiskWriteQueue(Path.of("disk"), CacheEventListener.NONE);
            AtomicInteger[] reported = {new AtomicInteger(), new AtomicInteger(), new AtomicInteger()};
            queue.add(draft(), stored -> reported[0].incrementAndGet());
            runConcurrently(
                    () -> {
                        queue.add(draft(), stored -> reported[1].incrementAndGet());
                        queue.add(draft(), stored -> reported[2].incrementAndGet());
                    },
                    () -> queue.giveUp().forEach(job -> job.complete(false)),
                    queue::close,
                    () -> write(queue));
            for (AtomicInteger one : reported) {
                require(one.get() == 1, "told " + one + " times");
            }
            require(queue.bytes() == 0, "bytes are left: " + queue.bytes());
        });
    }

    private static void write(DiskWriteQueue queue) {
        while (!queue.isOver()) {
            queue.take().forEach(job -> job.complete(true));
        }
        queue.end();
    }

    private static BlockToWrite draft() {
        return new BlockToWrite(Fingerprint.NONE, 0, ByteBuffer.allocate(0), List.of(BODY));
    }
}
