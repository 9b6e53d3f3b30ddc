package io.millrace.backend.s3;

import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.millrace.kit.XmlElement;
import io.millrace.kit.XmlException;
import io.millrace.kit.XmlParser;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Parses the responses to successful writes. */
final class WriteResponseParser {
    private static final String CHECKSUM = "Checksum";

    private WriteResponseParser() {}

    /** Returns the result of a write whose response has no body. */
    static WriteResult read(BufferedResponse reply) {
        return new WriteResult(
                Optional.of(tag(reply.header("etag"))), ForwardedResponseHeaders.of(reply.fields()), Optional.empty());
    }

    /** Returns the tag of the written object. Fails without one: clients commit by this tag. */
    static ETag tag(Optional<String> text) {
        return text.map(ETag::parse)
                .filter(tag -> !tag.opaque().isEmpty())
                .orElseThrow(() -> new BackendException(
                        FailureKind.INVALID_RESPONSE,
                        "the server responded with success but without an ETag; the outcome of the write is unknown"));
    }

    /** Returns the result of a write whose response is an XML document. */
    static WriteResult read(BufferedResponse reply, String... roots) {
        XmlElement document = acknowledgement(reply, roots);
        return new WriteResult(
                Optional.of(tag(document.nonEmptyTextOf("ETag"))),
                headers(reply, document),
                document.nonEmptyTextOf("LastModified").map(WriteResponseParser::time));
    }

    /**
     * Parses the XML document that acknowledges a write; if it is invalid, the outcome is unknown, since the status was
     * sent before.
     */
    static XmlElement acknowledgement(BufferedResponse reply, String... roots) {
        try {
            return XmlParser.parseIgnoringKeys(reply.bytes(), roots);
        } catch (XmlException unreadable) {
            throw new BackendException(
                    FailureKind.UNAVAILABLE,
                    "the response cannot be parsed: " + unreadable.getMessage()
                            + "; the outcome is unknown: the server may have done it");
        }
    }

    /** Returns the response headers for the client, and the checksums of the document as headers. */
    static HeaderList headers(BufferedResponse reply, XmlElement document) {
        List<HeaderField> reported =
                new ArrayList<>(ForwardedResponseHeaders.of(reply.fields()).fields());
        checksums(document).fields().stream()
                .filter(field -> reply.header(field.name()).isEmpty())
                .forEach(reported::add);
        return new HeaderList(reported);
    }

    /**
     * Returns {@code ChecksumCRC32} and the like, also {@code ChecksumType} and {@code ChecksumAlgorithm}, as headers.
     */
    static HeaderList checksums(XmlElement element) {
        return new HeaderList(element.children().stream()
                .filter(child ->
                        child.name().startsWith(CHECKSUM) && !child.text().isEmpty())
                .map(child -> new HeaderField(
                        ChecksumAlgorithm.HEADER_PREFIX + child.name().substring(CHECKSUM.length()), child.text()))
                .toList());
    }

    /** Returns the name of the XML element for this checksum header. */
    static String checksumElement(String field) {
        return CHECKSUM
                + field.substring(ChecksumAlgorithm.HEADER_PREFIX.length()).toUpperCase(Locale.ROOT);
    }

    static Instant time(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw new XmlException("not a time: " + text);
        }
    }
}
