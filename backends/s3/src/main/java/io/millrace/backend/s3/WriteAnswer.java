package io.millrace.backend.s3;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.HeaderList.Field;
import io.millrace.backend.spi.ObjectWriter.Written;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Reads what a server acknowledged. */
final class WriteAnswer {
    private static final String CHECKSUM = "Checksum";

    private WriteAnswer() {}

    /** Of a write whose answer is its head. */
    static Written of(Reply reply) {
        return new Written(Optional.of(tag(reply.header("etag"))), reply.told(), Optional.empty());
    }

    /** The tag of what was written. A success without one is none: clients go on with this tag, and commit by it. */
    static ETag tag(Optional<String> text) {
        return text.map(ETag::parse)
                .filter(tag -> !tag.opaque().isEmpty())
                .orElseThrow(() -> new BackendException(
                        Kind.BROKEN_ANSWER,
                        "the server answered with a success and without an ETag; whether it has written is open"));
    }

    /** Of a write whose answer is a document. */
    static Written of(Reply reply, String... roots) {
        XmlElement document = acknowledgement(reply, roots);
        return new Written(
                Optional.of(tag(document.textOf("ETag"))),
                told(reply, document),
                document.textOf("LastModified").map(WriteAnswer::time));
    }

    /** A document without which nobody knows whether it was done: the head of its answer came before. */
    static XmlElement acknowledgement(Reply reply, String... roots) {
        try {
            return XmlElement.read(reply.bytes(), roots);
        } catch (BackendException unreadable) {
            throw new BackendException(
                    Kind.UNAVAILABLE, unreadable.getMessage() + "; whether the server has done it is open");
        }
    }

    /** The fields of the head, and the checksums of the document as the fields they are elsewhere. */
    static HeaderList told(Reply reply, XmlElement document) {
        List<Field> told = new ArrayList<>(reply.told().fields());
        checksums(document).fields().stream()
                .filter(field -> reply.header(field.name()).isEmpty())
                .forEach(told::add);
        return new HeaderList(told);
    }

    /** {@code ChecksumCRC32} and its like, {@code ChecksumType} and {@code ChecksumAlgorithm} included, as fields. */
    static HeaderList checksums(XmlElement element) {
        return new HeaderList(element.children().stream()
                .filter(child ->
                        child.name().startsWith(CHECKSUM) && !child.text().isEmpty())
                .map(child -> new Field("x-amz-checksum-" + child.name().substring(CHECKSUM.length()), child.text()))
                .toList());
    }

    /** The name of the element that says what this field does. */
    static String checksumElement(String field) {
        return CHECKSUM + field.substring("x-amz-checksum-".length()).toUpperCase(Locale.ROOT);
    }

    static Instant time(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw XmlElement.broken("no time: " + text);
        }
    }
}
