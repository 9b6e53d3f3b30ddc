package io.millrace.gateway.multipart;

import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ListPage.Owner;
import io.millrace.gateway.http.XmlDocument;
import java.util.Set;

/** What listings of uploads and of parts have in common. */
final class UploadXml {
    /** Whose uploads they are: the backend knows only its one caller, and clients look whether there is somebody. */
    static final Owner OWNER = new Owner("millrace", "millrace");

    private static final String ALGORITHM = "x-amz-checksum-algorithm";
    private static final String TYPE = "x-amz-checksum-type";

    private UploadXml() {}

    static void owner(XmlDocument xml, String element, Owner owner) {
        xml.open(element)
                .element("ID", owner.id())
                .element("DisplayName", owner.displayName())
                .close();
    }

    static void checksumSettings(XmlDocument xml, HeaderList fields) {
        xml.element("ChecksumAlgorithm", fields.first(ALGORITHM)).element("ChecksumType", fields.first(TYPE));
    }

    /** What is no element of the document. */
    static HeaderList others(HeaderList fields) {
        Set<String> elements = Set.of(ALGORITHM, TYPE);
        return new HeaderList(fields.fields().stream()
                .filter(field -> !elements.contains(field.name()))
                .toList());
    }
}
