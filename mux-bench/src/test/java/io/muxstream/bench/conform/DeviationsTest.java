package io.muxstream.bench.conform;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.muxstream.bench.conform.cases.Case;
import io.muxstream.bench.conform.cases.Suite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeviationsTest {
    @ParameterizedTest
    @ValueSource(strings = {"node", "dotnet"})
    void eachIsAboutACaseThatThereIsAndIsExplained(String server) throws IOException {
        String page = Files.readString(Path.of(System.getProperty("mux.root"), "docs", "interop.md"));
        List<String> cases = Suite.cases().stream().map(Case::name).toList();
        List<String> deviating = namesOf(server);
        assertThat(deviating).hasSizeGreaterThan(10);
        assertThat(cases).containsAll(deviating);
        assertThat(deviating).allSatisfy(name -> assertThat(page).contains('`' + name + '`'));
    }

    private static List<String> namesOf(String server) throws IOException {
        List<String> names = new ArrayList<>();
        try (JsonParser json =
                new JsonFactory().createParser(DeviationsTest.class.getResourceAsStream(server + ".json"))) {
            while (json.nextToken() != null) {
                if (json.currentToken() == JsonToken.FIELD_NAME && "case".equals(json.currentName())) {
                    names.add(json.nextTextValue());
                }
            }
        }
        return names;
    }
}
