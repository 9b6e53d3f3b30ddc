package io.millrace.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * A class inherits the tags of the class that it extends, and with them its absence from mvn verify: no test does so
 * unawares.
 */
class InheritedTagsTest {
    private static final Pattern TAGGED = Pattern.compile("(?m)^@Tag\\(\"(\\w+)\"\\)");
    private static final Pattern EXTENDING =
            Pattern.compile("(?m)^(?:public )?(?:abstract )?class (\\w+) extends (\\w+)");

    @Test
    void taggedClassIsExtendedByTaggedClassesOnly() throws IOException {
        Map<String, String> tags = new HashMap<>();
        Map<String, String> parents = new HashMap<>();
        for (Path file : SourceFiles.of("/src/test/")) {
            String text = Files.readString(file);
            String name = file.getFileName().toString().replace(".java", "");
            Matcher tagged = TAGGED.matcher(text);
            if (tagged.find()) {
                tags.put(name, tagged.group(1));
            }
            Matcher extending = EXTENDING.matcher(text);
            if (extending.find()) {
                parents.put(extending.group(1), extending.group(2));
            }
        }
        List<String> unawares = new ArrayList<>();
        parents.forEach((child, parent) -> {
            if (tags.containsKey(parent) && !tags.containsKey(child)) {
                unawares.add(child + " inherits " + tags.get(parent) + " from " + parent);
            }
        });

        assertThat(tags).isNotEmpty();
        assertThat(unawares).isEmpty();
    }
}
