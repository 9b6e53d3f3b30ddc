package io.millrace.gateway.objects.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.kit.XmlParser;
import io.millrace.kit.XmlWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Checksums are elements in documents and fields in headers, of every algorithm. */
class ChecksumXmlTest {
    private static final HeaderList MIXED = HeaderList.EMPTY
            .with("content-type", "text/x")
            .with("x-amz-checksum-crc32", "AAAAAA==")
            .with("x-amz-checksum-type", "FULL_OBJECT")
            .with("x-amz-checksum-algorithm", "CRC32");

    @Test
    void checksumsAndTheirTypeBecomeElements() {
        XmlWriter xml = XmlWriter.plain("Part");

        ChecksumXml.write(xml, MIXED);

        assertThat(text(xml))
                .endsWith(
                        "<Part><ChecksumCRC32>AAAAAA==</ChecksumCRC32><ChecksumType>FULL_OBJECT</ChecksumType></Part>");
    }

    @Test
    void otherFieldsAreThoseWithoutAValueOfAChecksum() {
        assertThat(ChecksumXml.others(MIXED))
                .isEqualTo(HeaderList.EMPTY.with("content-type", "text/x").with("x-amz-checksum-algorithm", "CRC32"));
        assertThat(ChecksumXml.any(MIXED)).isTrue();
        assertThat(ChecksumXml.any(ChecksumXml.others(MIXED))).isFalse();
    }

    /** The type of a client's element is a matter of its upload, not of a part. */
    @ParameterizedTest
    @EnumSource(ChecksumAlgorithm.class)
    void elementsOfAClientBecomeFields(ChecksumAlgorithm algorithm) {
        String element = "Checksum" + algorithm.wireName();
        String part = "<Part><PartNumber>1</PartNumber><%1$s>abc=</%1$s><ChecksumType>COMPOSITE</ChecksumType></Part>"
                .formatted(element);

        assertThat(ChecksumXml.read(XmlParser.parse(part.getBytes(StandardCharsets.UTF_8), "Part")))
                .isEqualTo(HeaderList.EMPTY.with(algorithm.headerName(), "abc="));
    }

    private static String text(XmlWriter xml) {
        ByteBuffer document = xml.bytes();
        return StandardCharsets.UTF_8.decode(document).toString();
    }
}
