package io.millrace.gateway.objects.write;

import static java.util.Map.entry;

import io.millrace.backend.spi.UploadChecksumSpec;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.kit.XmlElement;
import io.millrace.kit.XmlWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Converts between {@code x-amz-checksum-*} headers and their XML elements. */
public final class ChecksumXml {
    private static final String TYPE = "ChecksumType";

    private static final Map<String, String> ELEMENTS = Stream.concat(
                    Stream.of(ChecksumAlgorithm.values())
                            .map(algorithm -> entry(algorithm.headerName(), "Checksum" + algorithm.wireName())),
                    Stream.of(entry(UploadChecksumSpec.TYPE_HEADER, TYPE)))
            .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));

    private ChecksumXml() {}

    /** Returns whether the headers include a checksum. */
    public static boolean any(HeaderList fields) {
        return fields.fields().stream().anyMatch(field -> ELEMENTS.containsKey(field.name()));
    }

    /** Writes the checksums among the headers as elements. */
    public static void write(XmlWriter xml, HeaderList fields) {
        for (HeaderList.HeaderField field : fields.fields()) {
            String element = ELEMENTS.get(field.name());
            if (element != null) {
                xml.element(element, field.value());
            }
        }
    }

    /** Returns the headers that are not checksums. */
    public static HeaderList others(HeaderList fields) {
        return fields.where(name -> !ELEMENTS.containsKey(name));
    }

    /** Returns the checksums in a client's element as headers. */
    public static HeaderList read(XmlElement parent) {
        List<HeaderList.HeaderField> fields = new ArrayList<>();
        for (XmlElement child : parent.children()) {
            fieldOf(child.name()).ifPresent(name -> fields.add(new HeaderList.HeaderField(name, child.text())));
        }
        return new HeaderList(fields);
    }

    private static Optional<String> fieldOf(String element) {
        return ELEMENTS.entrySet().stream()
                .filter(entry -> entry.getValue().equals(element) && !element.equals(TYPE))
                .map(Map.Entry::getKey)
                .findFirst();
    }
}
