package io.millrace.config.binding;

import io.millrace.config.DataSize;
import io.millrace.config.problem.ProblemCollector;
import io.millrace.config.problem.SettingPath;
import io.millrace.config.problem.SourceLocation;
import java.io.StringReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * Parses YAML to a {@link SettingsNode}. It uses only the parser's nodes, which know their lines and construct no
 * objects. An alias becomes a copy of what it names, so the size of the tree is limited: a few lines of nested aliases
 * would otherwise grow without end.
 */
final class YamlReader {
    /** Limit of nodes and characters after aliases are copied: four times the largest file. */
    private static final int LARGEST_TREE = 4 * SettingsFile.LARGEST;

    private static final int DEEPEST = 50;
    private static final int MOST_ALIASES = 50;
    private static final Set<Tag> TAGS =
            Set.of(Tag.STR, Tag.INT, Tag.FLOAT, Tag.BOOL, Tag.NULL, Tag.TIMESTAMP, Tag.MERGE, Tag.SEQ, Tag.MAP);

    private final String source;
    private final ProblemCollector report;
    private final Deque<Node> open = new ArrayDeque<>();
    private int size;

    YamlReader(String source, ProblemCollector report) {
        this.source = source;
        this.report = report;
    }

    /** Parses {@code text}; empty if it has no content, or after a problem that leaves no tree. */
    Optional<SettingsNode> read(String text) {
        if (text.length() > SettingsFile.LARGEST) {
            report.add(place(0), "", "", "is larger than " + new DataSize(SettingsFile.LARGEST), "make it smaller");
            return Optional.empty();
        }
        try {
            @Nullable Node node = new Yaml(options()).compose(new StringReader(text));
            return node == null ? Optional.empty() : Optional.of(tree(node, line(node), ""));
        } catch (TooLarge e) {
            report.add(place(0), "", "", "grows too large or too deep by its aliases (*name)", "write the values out");
        } catch (YAMLException e) {
            YamlError fault = YamlError.of(e, text);
            report.add(place(fault.line()), "", "", fault.description(), fault.remedy());
        }
        return Optional.empty();
    }

    private static LoaderOptions options() {
        LoaderOptions options = new LoaderOptions();
        options.setNestingDepthLimit(DEEPEST);
        options.setMaxAliasesForCollections(MOST_ALIASES);
        options.setCodePointLimit(SettingsFile.LARGEST);
        return options;
    }

    private SettingsNode tree(Node node, SourceLocation place, String path) throws TooLarge {
        if (open.contains(node) || open.size() > DEEPEST) {
            throw new TooLarge();
        }
        count(1);
        if (!TAGS.contains(node.getTag())) {
            report.add(place, path, "", "has a YAML tag (!name), which settings do not have", "remove the tag");
        }
        open.push(node);
        try {
            if (node instanceof MappingNode mapping) {
                return mapping(mapping, place, path);
            }
            return node instanceof SequenceNode sequence
                    ? sequence(sequence, place, path)
                    : scalar((ScalarNode) node, place);
        } finally {
            open.pop();
        }
    }

    private SettingsNode scalar(ScalarNode node, SourceLocation place) throws TooLarge {
        count(node.getValue().length());
        boolean blank = node.getTag().equals(Tag.NULL) && node.getScalarStyle() == ScalarStyle.PLAIN;
        return new SettingsNode.Scalar(place, node.getValue(), false, blank);
    }

    private SettingsNode sequence(SequenceNode node, SourceLocation place, String path) throws TooLarge {
        List<SettingsNode> elements = new ArrayList<>();
        for (Node element : node.getValue()) {
            elements.add(tree(element, line(element), SettingPath.element(path, elements.size())));
        }
        return new SettingsNode.Sequence(place, elements);
    }

    private SettingsNode mapping(MappingNode node, SourceLocation place, String path) throws TooLarge {
        Map<String, SettingsNode> entries = new LinkedHashMap<>();
        Map<String, Integer> lines = new HashMap<>();
        for (NodeTuple tuple : node.getValue()) {
            SourceLocation keyPlace = line(tuple.getKeyNode());
            if (!(tuple.getKeyNode() instanceof ScalarNode key)
                    || key.getValue().isEmpty()) {
                report.add(keyPlace, path, "", "has a key that is not a word", "write key: value");
                continue;
            }
            String name = key.getValue();
            count(name.length());
            String keyPath = SettingPath.child(path, SettingPath.printableKey(name));
            Integer first = lines.putIfAbsent(name, keyPlace.line());
            if (first == null) {
                entries.put(name, tree(tuple.getValueNode(), keyPlace, keyPath));
            } else {
                report.add(keyPlace, keyPath, "", "is given twice, first in line " + first, "keep one of them");
            }
        }
        return new SettingsNode.Mapping(place, entries);
    }

    private void count(int more) throws TooLarge {
        size += more;
        if (size > LARGEST_TREE) {
            throw new TooLarge();
        }
    }

    private SourceLocation line(Node node) {
        return place(node.getStartMark().getLine() + 1);
    }

    private SourceLocation place(int line) {
        return new SourceLocation(source, line);
    }

    private static final class TooLarge extends Exception {
        private static final long serialVersionUID = 1L;
    }
}
