package io.millrace.cache.disk;

import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Task that reads one cached block on a thread of its disk and delivers the result, or null, exactly once. */
final class BlockReadTask<T> implements AbandonableDiskRead {
    private final StoredBlock record;
    private final StoredBlock.Work<T> work;
    private final Consumer<@Nullable T> then;
    private final AtomicBoolean delivered = new AtomicBoolean();

    /** Used by the reading thread alone. */
    private @Nullable T result;

    BlockReadTask(StoredBlock record, StoredBlock.Work<T> work, Consumer<@Nullable T> then) {
        this.record = record;
        this.work = work;
        this.then = then;
    }

    @Override
    public void run() {
        try (record) {
            result = work.of(record);
        } catch (IOException e) {
            record.dropUnreadable(e);
        }
    }

    @Override
    public void complete() {
        T read = result;
        if (delivered.compareAndSet(false, true)) {
            then.accept(read);
        } else {
            // Its reader was told that there is none.
            ReferenceCountUtil.release(read);
        }
    }

    @Override
    public void giveUp(boolean begun) {
        if (!begun) {
            record.close();
        }
        if (delivered.compareAndSet(false, true)) {
            then.accept(null);
        }
    }
}
