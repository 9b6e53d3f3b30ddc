package io.millrace.backend.hub;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;

/**
 * The bound of the bytes that documents and lists of the API have in memory until their readers have taken them. It
 * bounds how many are read at a time too: each counts as much as a usual page before that has come. Thread-safe.
 */
final class DocumentMemoryBudget {
    /** The bytes that a page is counted with before it has come: as many as most pages have. */
    private static final int USUAL_PAGE = 256 << 10;

    private final AtomicLong used = new AtomicLong();
    private final long limit;

    /**
     * @param limit in bytes, of all documents together
     */
    DocumentMemoryBudget(long limit) {
        this.limit = limit;
    }

    /** Starts a document, which has no bytes yet. */
    Reservation begin() {
        return new Reservation();
    }

    /** Returns the bytes of a document that several readers may have. */
    Shared share(long bytes) {
        return new Shared(bytes);
    }

    /** Returns the bytes of all documents. */
    long used() {
        return used.get();
    }

    /** The bytes of a whole document, which count once while any reader has it. */
    final class Shared {
        private final long bytes;
        private int readers;

        private Shared(long bytes) {
            this.bytes = bytes;
        }

        /**
         * Adds a reader.
         *
         * @throws BackendException as {@link Reservation#add} does
         */
        synchronized void join() {
            if (readers == 0) {
                begin().add(bytes);
            }
            readers++;
        }

        /** Removes a reader. */
        synchronized void leave() {
            readers--;
            if (readers == 0) {
                used.addAndGet(-bytes);
            }
        }
    }

    /** The bytes of one document. */
    final class Reservation {
        private long bytes;
        private boolean released;

        private Reservation() {}

        /**
         * Adds bytes that have come.
         *
         * @throws BackendException of kind BUSY beyond the limit
         */
        synchronized void add(long more) {
            if (released) {
                return;
            }
            bytes += more;
            if (used.addAndGet(more) > limit) {
                release();
                throw new BackendException(FailureKind.BUSY, "too many large documents are read at a time");
            }
        }

        /**
         * Adds a page that is asked for, at first as a usual one.
         *
         * @return takes its size as it comes; throws as {@link #add} does
         * @throws BackendException as {@link #add} does
         */
        IntConsumer page() {
            add(USUAL_PAGE);
            AtomicInteger counted = new AtomicInteger(USUAL_PAGE);
            return size -> add(Math.max(0, size - counted.getAndAccumulate(size, Math::max)));
        }

        /** Gives all bytes back, once. */
        synchronized void release() {
            if (!released) {
                released = true;
                used.addAndGet(-bytes);
            }
        }
    }
}
