package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * One part of an object, without what it shares with the whole: that is asked for by the whole's rules.
 *
 * @param range where it lies; empty if the object is
 * @param fields how many parts there are, and the part's checksums
 */
public record ObjectPart(Optional<ByteRange> range, HeaderList fields) {
    /** Of what a HEAD of it was answered. */
    static ObjectPart of(HeadResult answer) {
        return new ObjectPart(answer.range(), filtered(answer.head().headers(), ObjectPart::isOfAPart));
    }

    /** What a reader of this part is told of its object. */
    public ObjectHead describe(ObjectHead whole) {
        HeaderList shared = filtered(whole.headers(), name -> !isOfAPart(name));
        List<HeaderList.HeaderField> told = new ArrayList<>(shared.fields());
        told.addAll(fields.fields());
        return new ObjectHead(whole.version(), whole.eTag(), whole.lastModified(), new HeaderList(told));
    }

    static boolean isChecksum(String name) {
        return name.startsWith("x-amz-checksum-");
    }

    static HeaderList filtered(HeaderList all, Predicate<String> names) {
        return new HeaderList(
                all.fields().stream().filter(field -> names.test(field.name())).toList());
    }

    private static boolean isOfAPart(String name) {
        return name.equals("x-amz-mp-parts-count") || isChecksum(name);
    }
}
