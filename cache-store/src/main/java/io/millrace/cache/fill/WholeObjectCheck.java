package io.millrace.cache.fill;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.checksum.WholeObjectChecksum;
import io.millrace.kit.async.LastPieceGuard;
import java.util.function.Consumer;

/**
 * Compares the bytes of an object that one fetch brings completely with the checksum that the backend gives for it.
 *
 * @param mismatched called with the failure of a fetch whose bytes do not have the checksum
 */
public record WholeObjectCheck(WholeObjectChecksum checksum, Consumer<BackendException> mismatched) {
    /**
     * Returns the content with a body that fails, before its last buffer, if it is whole and does not have the
     * checksum.
     */
    public ObjectContent guard(ObjectContent content) {
        if (content.range().isPresent()) {
            return content;
        }
        return new ObjectContent(content.head(), content.range(), content.body().transformDeferred(body -> {
            WholeObjectChecksum.RunningComparison comparison = checksum.begin();
            return LastPieceGuard.of(
                    body.doOnNext(comparison::add),
                    content.length(),
                    () -> comparison.mismatch().ifPresent(this::refuse));
        }));
    }

    private void refuse(String what) {
        BackendException failure = new BackendException(BackendException.FailureKind.INVALID_RESPONSE, what);
        mismatched.accept(failure);
        throw failure;
    }
}
