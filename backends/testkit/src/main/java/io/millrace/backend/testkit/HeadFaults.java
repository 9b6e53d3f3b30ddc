package io.millrace.backend.testkit;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectVersion;
import io.millrace.backend.spi.SelectedHead;
import java.util.Optional;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;

/** What goes wrong up to the head of an answer, and in it. */
final class HeadFaults {
    private HeadFaults() {}

    /** The answer, late or never. */
    static <T> Mono<T> delayed(Fault fault, Mono<T> answer) {
        if (fault instanceof Fault.All all) {
            Mono<T> late = answer;
            for (Fault one : all.faults()) {
                late = delayed(one, late);
            }
            return late;
        }
        if (fault instanceof Fault.Fail fail) {
            return Mono.error(new BackendException(fail.kind(), "refused by plan"));
        }
        if (fault instanceof Fault.DelayHead late) {
            return Mono.delay(late.delay()).then(answer);
        }
        return fault instanceof Fault.StallHead stall
                ? Mono.when(stall.release()).then(answer)
                : answer;
    }

    /** What is told of a write that took place. */
    static <T> Mono<T> acknowledged(Fault fault, Mono<T> write) {
        if (fault instanceof Fault.All all) {
            Mono<T> told = write;
            for (Fault one : all.faults()) {
                told = acknowledged(one, told);
            }
            return told;
        }
        if (fault instanceof Fault.LostAnswer) {
            return write.then(
                    Mono.error(() -> new BackendException(BackendException.Kind.UNAVAILABLE, "lost by plan")));
        }
        return fault instanceof Fault.LateAnswer late
                ? write.materialize()
                        .delayUntil(signal -> Mono.when(late.release()))
                        .dematerialize()
                : write;
    }

    static UnaryOperator<SelectedHead> ofHead(Fault fault) {
        return told -> new SelectedHead(head(fault, told.head()), range(fault, told.range()));
    }

    static ObjectContent ofContent(Fault fault, ObjectContent content) {
        return new ObjectContent(head(fault, content.head()), range(fault, content.range()), content.body());
    }

    private static ObjectHead head(Fault fault, ObjectHead head) {
        if (fault instanceof Fault.All all) {
            ObjectHead wrong = head;
            for (Fault one : all.faults()) {
                wrong = head(one, wrong);
            }
            return wrong;
        }
        ObjectVersion version = head.version();
        if (fault instanceof Fault.WrongSize wrong) {
            ObjectVersion resized = new ObjectVersion(
                    version.strength(), version.validator(), version.size() + wrong.by(), version.versionId());
            return new ObjectHead(resized, head.eTag(), head.lastModified(), head.headers());
        }
        if (fault instanceof Fault.WrongTag wrong) {
            Optional<ETag> tag = Optional.of(wrong.tag());
            ObjectVersion retagged = ObjectVersion.ofETag(tag, version.size(), version.versionId());
            return new ObjectHead(retagged, tag, head.lastModified(), head.headers());
        }
        return head;
    }

    private static Optional<ByteRange> range(Fault fault, Optional<ByteRange> range) {
        if (fault instanceof Fault.All all) {
            Optional<ByteRange> wrong = range;
            for (Fault one : all.faults()) {
                wrong = range(one, wrong);
            }
            return wrong;
        }
        return fault instanceof Fault.WrongRange wrong
                ? range.map(right -> new ByteRange(right.first() + wrong.by(), right.last() + wrong.by()))
                : range;
    }
}
