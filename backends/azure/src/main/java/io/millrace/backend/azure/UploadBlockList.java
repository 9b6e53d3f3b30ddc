package io.millrace.backend.azure;

import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.spi.MultipartUploads.ListedPart;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.MultipartUploads.PartPage;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.kit.XmlElement;
import io.millrace.kit.XmlParser;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** The newest block of each part of one upload, by part number, with its size. */
final class UploadBlockList {
    private final TreeMap<Integer, Part> parts = new TreeMap<>();

    /** A part that the service holds, uncommitted. */
    record Part(BlockId block, long size) {}

    static UploadBlockList none(MultipartUpload upload) {
        return new UploadBlockList(upload, List.of());
    }

    static UploadBlockList read(MultipartUpload upload, BufferedResponse reply) {
        List<XmlElement> blocks = XmlParser.parse(reply.bytes(), "BlockList")
                .all("UncommittedBlocks")
                .flatMap(list -> list.all("Block"))
                .toList();
        return new UploadBlockList(upload, blocks);
    }

    private UploadBlockList(MultipartUpload upload, List<XmlElement> blocks) {
        for (XmlElement block : blocks) {
            BlockId.ofBase64(block.requiredTextOf("Name"))
                    .filter(id -> id.uploadId().equals(upload.uploadId()))
                    .map(id -> new Part(id, id.empty() ? 0 : BlobListParser.number(block.requiredTextOf("Size"))))
                    .ifPresent(part -> parts.merge(part.block().part(), part, UploadBlockList::newer));
        }
    }

    /** Returns the id of the block that has this tag, whether or not it exists. */
    static BlockId block(MultipartUpload upload, int number, ETag tag) {
        return new BlockId(upload.uploadId(), number, false, tag.opaque().replace("-part", ""));
    }

    /** Returns the newest block of a part, if the part has this tag. */
    Optional<Part> find(int number, ETag tag) {
        return Optional.ofNullable(parts.get(number))
                .filter(part -> part.block().eTag().opaque().equals(tag.opaque()));
    }

    PartPage page(int after, int maxParts) {
        List<ListedPart> listed = new ArrayList<>();
        for (Part part : parts.tailMap(after, false).values()) {
            if (listed.size() == maxParts) {
                return new PartPage(
                        listed,
                        "STANDARD",
                        HeaderList.EMPTY,
                        listed.isEmpty()
                                ? Optional.empty()
                                : Optional.of(listed.get(maxParts - 1).number()));
            }
            BlockId block = part.block();
            listed.add(new ListedPart(
                    block.part(),
                    block.eTag(),
                    part.size(),
                    block.sent().truncatedTo(ChronoUnit.SECONDS),
                    HeaderList.EMPTY));
        }
        return new PartPage(listed, "STANDARD", HeaderList.EMPTY, Optional.empty());
    }

    private static Part newer(Part one, Part other) {
        return one.block().stamp().compareTo(other.block().stamp()) > 0 ? one : other;
    }
}
