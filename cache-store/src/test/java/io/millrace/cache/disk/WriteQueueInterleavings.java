package io.millrace.cache.disk;

import static io.millrace.backend.testkit.Schedules.atOnce;
import static io.millrace.backend.testkit.Schedules.require;
import static io.millrace.backend.testkit.Schedules.search;

import io.millrace.cache.CacheRecorder;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.Kind;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Whoever hands a record to a disk hears once what became of it, whoever gives up, ends or closes meanwhile. */
class WriteQueueInterleavings {
    private static final ByteBuf BODY = Unpooled.wrappedBuffer(new byte[3]);

    @Test
    void ofEachRecordItIsToldOnceWhatBecameOfIt() {
        search("writes: each is told once, while some are given up and the disk is closed", () -> {
            WriteQueue queue = new WriteQueue(Path.of("disk"), CacheRecorder.NONE);
            AtomicInteger[] told = {new AtomicInteger(), new AtomicInteger(), new AtomicInteger()};
            queue.add(draft(true), stored -> told[0].incrementAndGet());
            atOnce(
                    () -> {
                        queue.add(draft(false), stored -> told[1].incrementAndGet());
                        queue.add(draft(true), stored -> told[2].incrementAndGet());
                    },
                    () -> queue.giveUp(true).forEach(job -> job.tell(false)),
                    queue::close,
                    () -> write(queue));
            for (AtomicInteger one : told) {
                require(one.get() == 1, "told " + one + " times");
            }
            require(queue.bytes() == 0, "bytes are left: " + queue.bytes());
        });
    }

    @Test
    void whatSaysWhatAKeyIsIsNotGivenUpWithTheBlocks() {
        search("writes: a head is written though blocks are given up", () -> {
            WriteQueue queue = new WriteQueue(Path.of("disk"), CacheRecorder.NONE);
            AtomicInteger heads = new AtomicInteger();
            AtomicInteger blocks = new AtomicInteger();
            queue.add(draft(false), stored -> heads.addAndGet(stored ? 1 : 100));
            queue.add(draft(true), stored -> blocks.incrementAndGet());
            atOnce(() -> queue.giveUp(false).forEach(job -> job.tell(false)), () -> {
                queue.close();
                write(queue);
            });
            require(heads.get() == 1 && blocks.get() == 1, heads + " and " + blocks);
        });
    }

    private static void write(WriteQueue queue) {
        while (!queue.isOver()) {
            queue.take().forEach(job -> job.tell(true));
        }
        queue.end();
    }

    private static BlockDraft draft(boolean block) {
        return new BlockDraft(
                block ? Kind.BLOCK : Kind.HEAD,
                1,
                Fingerprint.NONE,
                Fingerprint.NONE,
                0,
                ByteBuffer.allocate(0),
                block ? List.of(BODY) : List.of());
    }
}
