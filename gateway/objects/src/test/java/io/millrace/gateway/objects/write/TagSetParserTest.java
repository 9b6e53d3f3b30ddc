package io.millrace.gateway.objects.write;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.gateway.error.S3Exception;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tags of a document are the parameters of a header, with nothing of them lost or added. */
class TagSetParserTest {
    @Test
    void tagsAreEncodedAndStayInOrder() {
        assertThat(parameters("<Tagging><TagSet><Tag><Key>b/ü</Key><Value>1&amp;2=3</Value></Tag>"
                        + "<Other/><Tag><Key>a</Key></Tag></TagSet></Tagging>"))
                .isEqualTo("b%2F%C3%BC=1%262%3D3&a=");
    }

    @ParameterizedTest
    @ValueSource(strings = {"<Tagging/>", "<Tagging><TagSet/></Tagging>", "<Tagging><Tag><Key>a</Key></Tag></Tagging>"})
    void documentMayHaveNoTags(String document) {
        assertThat(parameters(document)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "tags",
                "<Tags><TagSet/></Tags>",
                "<Tagging><TagSet><Tag><Value>1</Value></Tag></TagSet></Tagging>",
                "<Tagging><TagSet><Tag><Key>a</Key><Value><b/></Value></Tag></TagSet></Tagging>"
            })
    void documentWithoutItsElementsIsMalformed(String document) {
        assertThat(catchThrowableOfType(S3Exception.class, () -> parameters(document))
                        .code())
                .isEqualTo("MalformedXML");
    }

    private static String parameters(String document) {
        return TagSetParser.parameters(document.getBytes(UTF_8));
    }
}
