package io.muxstream.bench.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TreeTest {
    @TempDir
    Path outside;

    private Path folder;

    @BeforeEach
    void makeFolder() throws IOException {
        folder = Files.createDirectories(outside.resolve("shown/a b"));
        Files.writeString(folder.resolve("c%+d.txt"), "inside");
        Files.writeString(outside.resolve("secret"), "outside");
        folder = folder.getParent();
    }

    @Test
    void everythingBelowIsToldAndNoLinkIsFollowed() throws IOException {
        Files.createSymbolicLink(folder.resolve("link"), outside);
        List<String> entries = new ArrayList<>();
        new Tree(folder).walk(entry -> entries.add(entry.kind() + " " + PathName.display(entry.name())));
        assertThat(entries).containsExactlyInAnyOrder("FOLDER a b", "FILE a b/c%+d.txt", "LINK link");
    }

    @Test
    void whatIsToldCanBeOpenedByItsName() throws IOException {
        Tree tree = new Tree(folder);
        List<TreeEntry> files = new ArrayList<>();
        tree.walk(entry -> {
            if (entry.kind() == TreeEntry.Kind.FILE) {
                files.add(entry);
            }
        });
        assertThat(files).hasSize(1);
        assertThat(read(tree, files.get(0).name())).isEqualTo("inside");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "/etc/passwd",
                "//etc/passwd",
                "..",
                "../secret",
                "%2e%2e/secret",
                "a%20b/../../secret",
                "a%20b%2F..%2F..%2Fsecret",
                "a%20b/%2E%2E/../../secret",
                "./secret",
                "a%20b/.",
                "a%20b/?x",
                "a%20b/#x",
                "a b",
                "x%00y",
                "%zz"
            })
    void aNameThatLeadsOutOrIsMalformedIsRefused(String name) throws IOException {
        Tree tree = new Tree(folder);
        assertThatThrownBy(() -> tree.check(name)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> tree.open(name)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"out/secret", "file", "a%20b/up/secret", "in/c%25+d.txt"})
    void noSymbolicLinkIsFollowedAnywhereOnThePath(String name) throws IOException {
        Files.createSymbolicLink(folder.resolve("out"), outside);
        Files.createSymbolicLink(folder.resolve("file"), outside.resolve("secret"));
        Files.createSymbolicLink(folder.resolve("a b/up"), Path.of("../.."));
        Files.createSymbolicLink(folder.resolve("in"), Path.of("a b"));
        Tree tree = new Tree(folder);
        assertThatThrownBy(() -> tree.open(name)).isInstanceOf(IOException.class);
        assertThat(FileDigest.read(tree, name, () -> false).state()).isNotEqualTo(FileDigest.State.READ);
    }

    @Test
    void aFolderIsNoFile() throws IOException {
        Tree tree = new Tree(folder);
        assertThatThrownBy(() -> tree.open("a%20b")).isInstanceOf(Tree.NotRegularException.class);
    }

    @Test
    void whatIsGoneIsToldAsGone() throws IOException {
        Tree tree = new Tree(folder);
        assertThatThrownBy(() -> tree.open("gone")).isInstanceOf(NoSuchFileException.class);
        assertThat(FileDigest.read(tree, "gone", () -> false).state()).isEqualTo(FileDigest.State.GONE);
    }

    private static String read(Tree tree, String name) throws IOException {
        try (Tree.OpenFile file = tree.open(name)) {
            return new String(Channels.newInputStream(file.bytes()).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
