package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadDecision;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import java.util.Optional;

/**
 * One part of a multipart object: its range and the headers that differ from those of the object.
 *
 * @param range position in the object; empty if the object is empty
 * @param fields the number of parts and the part's checksums
 */
public record ObjectPart(Optional<ByteRange> range, HeaderList fields) {
    /**
     * Returns the part that a request selects of an object that was not uploaded in parts; empty if it selects none.
     *
     * @throws io.millrace.backend.spi.BackendException of kind INVALID_PART for another than the first
     */
    public static Optional<ObjectPart> ofOnlyPart(ByteSelection selection, ObjectHead head) {
        return selection instanceof ByteSelection.PartSelection part
                ? Optional.of(new ObjectPart(ReadDecision.onlyPart(part.number(), head.size()), HeaderList.EMPTY))
                : Optional.empty();
    }

    /** Returns the part described by a HEAD response. */
    static ObjectPart of(HeadResult response) {
        return new ObjectPart(response.range(), response.head().headers().where(ObjectPart::isOfAPart));
    }

    /** Returns the metadata of a response with this part. */
    public ObjectHead describe(ObjectHead whole) {
        HeaderList described = whole.headers().where(name -> !isOfAPart(name)).with(fields);
        return new ObjectHead(whole.version(), whole.eTag(), whole.lastModified(), described);
    }

    private static boolean isOfAPart(String name) {
        return name.equals("x-amz-mp-parts-count") || ChecksumAlgorithm.isHeader(name);
    }
}
