package io.millrace.cache.fill;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.checksum.WholeObjectChecksum;
import io.netty.buffer.ByteBuf;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The comparison of the bytes of a run with the checksum of its object, for a run that brings the whole object and if
 * the backend gives one. Only the steps of the run access it, except {@link #refusal}.
 */
final class RunChecksum {
    private @Nullable WholeObjectCheck check;

    /** The comparison of that check, while it runs. */
    private WholeObjectChecksum.@Nullable RunningComparison comparison;

    /** The failure of a run whose bytes are wrong, so that no block of it may stay; or null. */
    private volatile @Nullable BackendException refusal;

    /** Begins to compare. */
    void begin(Optional<WholeObjectCheck> known) {
        check = known.orElse(null);
        comparison = check == null ? null : check.checksum().begin();
    }

    /** Compares nothing: the bytes were verified when they were written. */
    void skip() {
        comparison = null;
    }

    /**
     * Adds a buffer, which its caller still owns; returns what is wrong if it is the last one and the bytes are not
     * the object's.
     *
     * @param missing bytes of the object that are missing before this buffer; further ones in it do not count
     */
    Optional<String> compare(ByteBuf piece, long missing) {
        if (comparison == null) {
            return Optional.empty();
        }
        int bytes = (int) Math.min(piece.readableBytes(), missing);
        comparison.add(piece.slice(piece.readerIndex(), bytes));
        return bytes < missing ? Optional.empty() : comparison.mismatch();
    }

    /** Sets the failure of the run for all who look at its blocks from now on. */
    BackendException refuse(String what) {
        BackendException failure = new BackendException(BackendException.FailureKind.INVALID_RESPONSE, what);
        refuse(failure);
        return failure;
    }

    /** Sets the failure of a run whose source has found its bytes wrong. */
    void refuse(BackendException failure) {
        refusal = failure;
    }

    /** Reports the failure to the metadata of the object. */
    void report(BackendException failure) {
        Objects.requireNonNull(check).mismatched().accept(failure);
    }

    /** Returns the failure of a run whose bytes are not those of the object, or null. Thread-safe. */
    @Nullable BackendException refusal() {
        return refusal;
    }
}
