package io.millrace.backend.testkit.fault;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.ObjectVersion;
import java.util.Optional;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;

/**
 * Applies the faults of a {@link BackendFault} to the response before its body: delays, failures, and wrong metadata.
 */
final class HeadFaults {
    private HeadFaults() {}

    /** Delays or fails the response. */
    static <T> Mono<T> delayed(BackendFault fault, Mono<T> response) {
        if (fault instanceof BackendFault.AllOf all) {
            Mono<T> late = response;
            for (BackendFault one : all.faults()) {
                late = delayed(one, late);
            }
            return late;
        }
        if (fault instanceof BackendFault.FailedCall fail) {
            return Mono.error(() -> new BackendException(fail.kind(), "refused by plan").asUnprocessed());
        }
        if (fault instanceof BackendFault.DelayedHead late) {
            return Mono.delay(late.delay()).then(response);
        }
        return fault instanceof BackendFault.StalledHead stall
                ? Mono.when(stall.release()).then(response)
                : response;
    }

    /** Applies the faults to the response of a write that took place. */
    static <T> Mono<T> acknowledged(BackendFault fault, Mono<T> write) {
        if (fault instanceof BackendFault.AllOf all) {
            Mono<T> reported = write;
            for (BackendFault one : all.faults()) {
                reported = acknowledged(one, reported);
            }
            return reported;
        }
        if (fault instanceof BackendFault.LostResponse) {
            return write.then(
                    Mono.error(() -> new BackendException(BackendException.FailureKind.UNAVAILABLE, "lost by plan")));
        }
        return fault instanceof BackendFault.LateResponse late
                ? write.materialize()
                        .delayUntil(signal -> Mono.when(late.release()))
                        .dematerialize()
                : write;
    }

    static UnaryOperator<HeadResult> ofHead(BackendFault fault) {
        return reported -> new HeadResult(head(fault, reported.head()), range(fault, reported.range()));
    }

    static ObjectContent ofContent(BackendFault fault, ObjectContent content) {
        return new ObjectContent(head(fault, content.head()), range(fault, content.range()), content.body());
    }

    private static ObjectHead head(BackendFault fault, ObjectHead head) {
        if (fault instanceof BackendFault.AllOf all) {
            ObjectHead wrong = head;
            for (BackendFault one : all.faults()) {
                wrong = head(one, wrong);
            }
            return wrong;
        }
        ObjectVersion version = head.version();
        if (fault instanceof BackendFault.WrongSize wrong) {
            ObjectVersion resized = new ObjectVersion(
                    version.strength(), version.validator(), version.size() + wrong.by(), version.versionId());
            return new ObjectHead(resized, head.eTag(), head.lastModified(), head.headers());
        }
        if (fault instanceof BackendFault.WrongETag wrong) {
            Optional<ETag> tag = Optional.of(wrong.tag());
            ObjectVersion retagged = ObjectVersion.ofETag(tag, version.size(), version.versionId());
            return new ObjectHead(retagged, tag, head.lastModified(), head.headers());
        }
        return head;
    }

    private static Optional<ByteRange> range(BackendFault fault, Optional<ByteRange> range) {
        if (fault instanceof BackendFault.AllOf all) {
            Optional<ByteRange> wrong = range;
            for (BackendFault one : all.faults()) {
                wrong = range(one, wrong);
            }
            return wrong;
        }
        return fault instanceof BackendFault.WrongRange wrong
                ? range.map(right -> new ByteRange(right.first() + wrong.by(), right.last() + wrong.by()))
                : range;
    }
}
