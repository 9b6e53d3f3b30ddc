package io.millrace.cache.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a disk's heads are to be trusted after the next start. A head that was to be replaced or taken out and still lies
 * there must not be: that is written beside the disks, where a disk that hangs does not matter, and into the disk's marker,
 * again and again until it is there. On a thread of its own, since both may take long. Safe for use by any number of threads.
 */
final class Doubt {
    private static final Logger log = LoggerFactory.getLogger(Doubt.class);
    private static final long PAUSE_MILLIS = 1000;

    private final Path folder;
    private final KnownDisks known;
    private final BooleanSupplier makeRoom;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Object markerFile = new Object();
    private final Object earlier = new Object();
    private final List<Runnable> waiting = new ArrayList<>();
    private final Map<String, String> complaints = new ConcurrentHashMap<>();
    private DiskMarker marker;
    private volatile long below;
    private boolean raised;

    /** What is raised from here on is not the last word's to write. */
    private boolean ended;

    private boolean durable;
    private boolean raisedOfEarlier;
    private volatile boolean earlierDurable;

    /** The disk is not there any more: what lies in its place is not to be written. */
    private volatile boolean gone;

    /** It never was. */
    private volatile boolean absent;

    /**
     * @param marker of this start, written already
     * @param makeRoom lets something go where the disk is full to the last byte; whether there was something
     */
    Doubt(Path folder, DiskMarker marker, KnownDisks known, BooleanSupplier makeRoom) {
        this.folder = folder;
        this.marker = marker;
        this.below = marker.doubtBelow();
        this.known = known;
        this.makeRoom = makeRoom;
    }

    /** Heads with a lower sequence number must be asked for before they are used, in this run. */
    long below() {
        return below;
    }

    /**
     * All heads of earlier runs have to be asked for before they are used, from now on, and after the next start too. Blocks.
     *
     * @return whether that would survive the end of the process
     */
    boolean raiseOfEarlier() {
        synchronized (earlier) {
            if (!earlierDurable) {
                synchronized (this) {
                    below = Math.max(below, DiskMarker.firstSequence(marker.epoch()));
                    marker = marker.doubtedEarlier();
                    raisedOfEarlier = true;
                }
                boolean remembered = remember();
                earlierDurable = mark() || remembered;
            }
            return earlierDurable;
        }
    }

    /**
     * All heads that are here when the process ends have to be asked for after the next start.
     *
     * @param then called when that is sure, or could not be written at the first try; perhaps at once, perhaps by another thread
     */
    void raise(Runnable then) {
        boolean sure;
        synchronized (this) {
            sure = durable;
            if (!sure) {
                waiting.add(then);
                if (!raised || ended) {
                    raised = true;
                    marker = marker.doubted();
                    // By another disk that is not closed yet, where this one is.
                    startWriting(ended ? () -> tell(remember()) : this::write);
                }
            }
        }
        if (sure) {
            then.run();
        }
    }

    /** The disk has gone: its heads are doubtful when it comes back, and that is written beside it alone. Blocks. */
    void abandon() {
        gone = true;
        synchronized (this) {
            marker = marker.doubted();
        }
        boolean remembered = remember();
        tell(remembered);
        if (!remembered) {
            startWriting(this::write);
        }
    }

    /** The disk was never there: it will know by itself. */
    void absent() {
        gone = true;
        absent = true;
    }

    /** Writes beside the disk what is not written of this yet. Blocks; whether all is written now. */
    boolean settle() {
        boolean all;
        synchronized (this) {
            if (!isUnsure()) {
                return true;
            }
            all = raised || gone;
        }
        boolean remembered = remember();
        if (remembered && all) {
            tell(true);
        }
        return remembered;
    }

    /**
     * The last word. Nothing may be raised after that. Blocks, as long as the disk does if all was in order.
     *
     * @param inOrder whether that is to be said on the disk; if not it is not touched, and what is doubtful is remembered beside it
     * @throws IOException if that cannot be said
     */
    void close(boolean inOrder) throws IOException {
        closed.countDown();
        boolean unsure;
        synchronized (this) {
            ended = true;
            unsure = isUnsure();
        }
        if (unsure) {
            boolean remembered = remember();
            tell(remembered);
        }
        if (inOrder) {
            DiskMarker last = marker().stopped();
            synchronized (markerFile) {
                if (!gone) {
                    last.write(folder);
                }
            }
        }
    }

    private synchronized boolean isUnsure() {
        return ((raised || gone) && !durable) || (raisedOfEarlier && !earlierDurable);
    }

    private void startWriting(Runnable writing) {
        Thread thread = new Thread(writing, folder.getFileName() + "-doubt");
        thread.setDaemon(true);
        thread.start();
    }

    private void write() {
        boolean remembered = false;
        boolean marked = false;
        while (!marked && !(gone && remembered) && closed.getCount() > 0) {
            if (!remembered) {
                remembered = remember();
                if (remembered) {
                    tell(true);
                }
            }
            marked = mark() || (!gone && makeRoom.getAsBoolean() && mark());
            tell(remembered || marked);
            if (!marked && !(gone && remembered)) {
                pause();
            }
        }
    }

    private boolean remember() {
        if (absent) {
            return true;
        }
        DiskMarker now = marker();
        try {
            known.doubt(now.disk(), now.doubtBelow());
            return true;
        } catch (IOException e) {
            complain("%s cannot be written".formatted(known.file()), e);
            return false;
        }
    }

    private boolean mark() {
        synchronized (markerFile) {
            if (gone) {
                return false;
            }
            if (closed.getCount() == 0) {
                // The last word may have been chosen before this.
                return false;
            }
            try {
                marker().write(folder);
                return true;
            } catch (IOException e) {
                complain("The marker of %s cannot be written".formatted(folder), e);
                return false;
            }
        }
    }

    /** Once, though it is tried again every second. */
    private void complain(String what, IOException failure) {
        String reason = failure.toString();
        if (!reason.equals(complaints.put(what, reason))) {
            log.warn("{}: {}", what, reason);
        }
    }

    private synchronized DiskMarker marker() {
        return marker;
    }

    private void tell(boolean sure) {
        List<Runnable> told;
        synchronized (this) {
            durable |= sure;
            told = List.copyOf(waiting);
            waiting.clear();
        }
        told.forEach(Runnable::run);
    }

    private void pause() {
        try {
            boolean unused = closed.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
