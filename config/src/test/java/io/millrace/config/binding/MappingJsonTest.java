package io.millrace.config.binding;

import static io.millrace.config.binding.SettingsFixture.good;
import static io.millrace.config.binding.SettingsFixture.only;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.SettingDescription;
import io.millrace.config.ValueForm;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests values that may be a mapping in the file, and reach their type as JSON. */
class MappingJsonTest {
    @ValueForm(value = "a document", mapping = true)
    record Document(String json) {
        Document {
            if (json.contains("refused")) {
                throw new IllegalArgumentException("is refused");
            }
        }
    }

    record Sample(@SettingDescription("x") Document it) {}

    @Test
    void mappingBecomesJson() {
        String yaml = """
                it:
                  kind: copy
                  "a \\"b\\\\": "line\\nend"
                  list: [ 1, { deep: true } ]
                  empty:
                """;

        assertThat(json(yaml))
                .isEqualTo("{\"kind\":\"copy\",\"a \\\"b\\\\\":\"line\\u000aend\","
                        + "\"list\":[\"1\",{\"deep\":\"true\"}],\"empty\":null}");
    }

    @Test
    void textStaysAsItIs() {
        assertThat(json("it: '{ \"kind\": 1 }'")).isEqualTo("{ \"kind\": 1 }");
    }

    @Test
    void variablesAreReplaced() {
        Sample read = good("it: { bucket: \"${NAME}\" }", Sample.class, Map.of("NAME", "da\"ta"));

        assertThat(read.it().json()).isEqualTo("{\"bucket\":\"da\\\"ta\"}");
    }

    @Test
    void problemsNameTheirKey() {
        assertThat(only("it: { a: refused }", Sample.class).key()).isEqualTo("it");
        assertThat(only("it: { a: \"${GONE}\" }", Sample.class).key()).isEqualTo("it.a");
        assertThat(only("it: [ a ]", Sample.class).description()).contains("is a list");
    }

    private static String json(String yaml) {
        return good(yaml, Sample.class).it().json();
    }
}
