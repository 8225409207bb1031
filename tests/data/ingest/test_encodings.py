"""Test that text which is not UTF-8 is read in the encoding it has, and that this is said."""

import pytest

from dptopk import counts_from_events
from dptopk.data.ingest import IngestError, read_table

NAMES = {  # and encodings: a header and 20 names, as a shop, a pharmacy or an atlas has them
    "ja: cp932, euc_jp": (
        "商品名 りんご みかん ぶどう ラーメン うどん そば 醤油 味噌 緑茶 コーヒー 牛乳 豆腐 "
        "納豆 おにぎり カレーライス 天ぷら 刺身 寿司 焼き鳥 たこ焼き"
    ),
    "ja-drugs: cp932, euc_jp": (
        "医薬品名 アムロジピン ロキソプロフェン アセトアミノフェン ランソプラゾール "
        "メトホルミン 葛根湯 カルボシステイン モンテルカスト レバミピド 酸化マグネシウム "
        "フェキソフェナジン プレガバリン クラリスロマイシン ロスバスタチン エソメプラゾール "
        "ビソプロロール ゾルピデム 抑肝散 テルミサルタン アジルサルタン"
    ),
    "zh: gb18030": (
        "商品 苹果 香蕉 葡萄 西瓜 牛奶 面包 鸡蛋 大米 豆腐 绿茶 咖啡 饺子 包子 红烧肉 "
        "宫保鸡丁 麻婆豆腐 北京烤鸭 火锅 月饼 豆浆"
    ),
    "zh-tw: big5": (
        "商品 蘋果 香蕉 葡萄 西瓜 牛奶 麵包 雞蛋 白米 豆腐 綠茶 咖啡 餃子 包子 滷肉飯 "
        "珍珠奶茶 臭豆腐 牛肉麵 火鍋 月餅 豆漿"
    ),
    "ko: cp949": (
        "품목 사과 배 포도 수박 우유 빵 달걀 쌀 두부 녹차 커피 만두 김치 불고기 비빔밥 냉면 "
        "떡볶이 삼계탕 김밥 라면"
    ),
    "ru: cp1251, koi8_r, cp866, iso8859_5": (
        "товар яблоко груша слива хлеб молоко сыр масло чай кофе сахар картофель капуста "
        "морковь свёкла огурец помидор курица говядина рыба рис"
    ),
    "ru-drugs: cp1251, koi8_r, cp866": (
        "Препарат Парацетамол Ибупрофен Аспирин Метформин Эналаприл Амлодипин Омепразол "
        "Аторвастатин Бисопролол Лозартан Диклофенак Кеторолак Лоратадин Цетиризин "
        "Амоксициллин Азитромицин Фуросемид Индапамид Варфарин Дигоксин"
    ),
    "uk: cp1251, koi8_u": (
        "товар яблуко груша слива хліб молоко сир масло чай кава цукор картопля капуста "
        "морква буряк огірок помідор курка яловичина риба їжа"
    ),
    "el: cp1253, iso8859_7": (
        "προϊόν μήλο αχλάδι σταφύλι ψωμί γάλα τυρί βούτυρο τσάι καφές ζάχαρη πατάτα λάχανο "
        "καρότο παντζάρι αγγούρι ντομάτα κοτόπουλο μοσχάρι ψάρι ρύζι"
    ),
    "he: cp1255": (
        "מוצר תפוח אגס שזיף לחם חלב גבינה חמאה תה קפה סוכר תפוח-אדמה כרוב גזר סלק מלפפון "
        "עגבנייה עוף בקר דג אורז"
    ),
    "ar: cp1256": (
        "المنتج تفاح كمثرى برقوق خبز حليب جبن زبدة شاي قهوة سكر بطاطس كرنب جزر شمندر خيار "
        "طماطم دجاج لحم سمك أرز"
    ),
    "th: cp874": (
        "สินค้า แอปเปิล ลูกแพร์ ลูกพลัม ขนมปัง นม ชีส เนย ชา กาแฟ น้ำตาล มันฝรั่ง กะหล่ำปลี "
        "แครอท บีทรูท แตงกวา มะเขือเทศ ไก่ เนื้อวัว ปลา ข้าว"
    ),
    "pl: cp1250, iso8859_2": (
        "produkt jabłko gruszka śliwka chleb mleko ser masło herbata kawa cukier ziemniak "
        "kapusta marchew burak ogórek pomidor kurczak wołowina ryba ryż"
    ),
    "cs: cp1250": (
        "výrobek jablko hruška švestka chléb mléko sýr máslo čaj káva cukr brambor zelí mrkev "
        "řepa okurka rajče kuře hovězí ryba rýže"
    ),
    "tr: cp1254": (
        "ürün elma armut erik ekmek süt peynir tereyağı çay kahve şeker patates lahana havuç "
        "pancar salatalık domates tavuk sığır balık pirinç"
    ),
    "es: cp1252": (
        "artículo plátano limón melón jamón azúcar café té maíz piña salmón atún champiñón "
        "pimentón año niño señal camión corazón jardín avión"
    ),
    "da: cp1252": (
        "vare æble brød smør øl køl rødbede grød kød æg pære blåbær jordbær gulerød løg "
        "hvidløg flæsk pålæg ærter bønner sukkerærter"
    ),
    "fr: cp1252": (
        "produit pâté crème brûlée café thé pêche poivron blé maïs noël hôtel forêt élève "
        "garçon façade âge île où naïf cœur"
    ),
    "de: cp1252": (
        "Artikel Äpfel Öl Käse Brötchen Müsli Süßkartoffel Möhren Kürbis Gewürz Bärlauch "
        "Rüben Nüsse Grünkohl Frühstück Würstchen Hähnchen Lauchzwiebel Spätzle Klöße Knödel"
    ),
}


@pytest.mark.parametrize(
    ("language", "codec"),
    [(one, codec) for one in NAMES for codec in one.partition(": ")[2].split(", ")],
)
def test_tables_and_logs_are_read_in_their_encoding(language, codec):
    header, *names = NAMES[language].split()
    table = "\r\n".join([f"{header},n", *(f"{one},{9 * i}" for i, one in enumerate(names))])
    log = "\r\n".join([f"id;{header};at", *(f"U{i % 7};{one};2026" for i, one in enumerate(names))])
    for text, place in ((table, 0), (log, 1)):
        read = read_table(text.encode(codec))
        assert read.columns[place] == header
        assert [cells[place] for cells in read.rows()] == names
        (note,) = (note for note in read.notes if "not UTF-8" in note)
        assert f"read as {read.encoding} (such as " in note
        assert any(one in note for one in (header, *names))


def test_letters_that_windows_adds_to_shift_jis_are_read():
    read = read_table("商品名,n\nりんご①,3\n㈱みかん,4\n".encode("cp932"))
    assert [cells[0] for cells in read.rows()] == ["りんご①", "㈱みかん"]


@pytest.mark.parametrize("word", ["10 µg", "¡Hola!", "Tromsø", "Œuvre", "£5", "® Brand", "50 °C"])
def test_single_letters_beyond_ascii_are_western(word):
    """A detector takes them for Big5 or for Central European text."""
    read = read_table(f"item,n\napple,5\n{word},4\n".encode("cp1252"))
    assert read.preview[1][0] == word
    assert read.encoding == "Windows-1252"


@pytest.mark.parametrize("word", ["hää", "ação", "Ünübersehbar", "€uro – ‘naïve’", "ÄÄÄÄ"])
def test_western_words_with_letters_in_a_row_are_read(word):
    rows = ["item,n", f"{word},9", *(f"Straße {i},{i}" for i in range(8))]
    table = read_table("\n".join(rows).encode("cp1252"))
    assert table.preview[0][0] == word


def test_what_is_not_in_the_encoding_found_is_refused():
    data = "item,n\nKäse,3\nÖl,4\nNüsse,5\nBrötchen,6\n".encode("cp1252") + b"a\x81,5\n"
    with pytest.raises(IngestError, match=r"Line 6 .* neither UTF-8 nor Windows-1252: save the"):
        read_table(data)


def test_logs_are_read_in_their_encoding_or_named_with_it_if_they_are_large(tmp_path, monkeypatch):
    file = tmp_path / "log.csv"
    file.write_bytes("利用者,商品名\n1,りんご\n2,みかん\n3,ラーメン\n".encode("cp932"))
    counts = counts_from_events(file, "利用者", "商品名")
    assert dict(counts) == {"りんご": 1, "みかん": 1, "ラーメン": 1}
    monkeypatch.setattr("dptopk.data.ingest.MAX_BYTES", file.stat().st_size - 1)
    with pytest.raises(IngestError, match=r"probably Shift-JIS: .* iconv -f CP932 -t UTF-8 old"):
        counts_from_events(file, "利用者", "商品名")
