package io.millrace.backend.s3.response;

import io.millrace.backend.http.XmlElement;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * The parsed XML body of an S3 error response; {@link #NONE} for a body that is not S3's XML.
 *
 * @param size of the object, which Amazon sends with InvalidRange
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html">Error responses</a>
 */
public record S3ErrorBody(String code, String message, OptionalLong size) {
    static final S3ErrorBody NONE = new S3ErrorBody("", "", OptionalLong.empty());

    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

    public static S3ErrorBody of(byte[] body) {
        if (body.length == 0) {
            return NONE;
        }
        return of(read(body));
    }

    private static S3ErrorBody of(Map<String, String> said) {
        return new S3ErrorBody(
                said.getOrDefault("Code", ""),
                said.getOrDefault("Message", ""),
                number(said.getOrDefault("ActualObjectSize", "")));
    }

    /** Returns the texts of the elements in {@code Error}, up to the first syntax error. */
    private static Map<String, String> read(byte[] body) {
        Map<String, String> said = new HashMap<>();
        try {
            XMLStreamReader xml = XmlElement.reader(body);
            while (xml.hasNext() && xml.next() != XMLStreamConstants.START_ELEMENT) {
                // Skip everything before the root.
            }
            if (xml.isStartElement() && xml.getLocalName().equals("Error")) {
                readChildren(xml, said);
            }
        } catch (XMLStreamException e) {
            // The status must suffice.
        }
        return said;
    }

    private static void readChildren(XMLStreamReader xml, Map<String, String> said) throws XMLStreamException {
        int depth = 0;
        String name = "";
        StringBuilder text = new StringBuilder();
        while (xml.hasNext()) {
            int event = xml.next();
            if (event == XMLStreamConstants.START_ELEMENT && depth++ == 0) {
                name = xml.getLocalName();
                text.setLength(0);
            } else if (event == XMLStreamConstants.END_ELEMENT && --depth == 0) {
                said.putIfAbsent(name, text.toString());
            } else if (depth == 1 && xml.isCharacters()) {
                text.append(xml.getText());
            }
        }
    }

    private static OptionalLong number(String text) {
        return NUMBER.matcher(text).matches() ? OptionalLong.of(Long.parseLong(text)) : OptionalLong.empty();
    }
}
